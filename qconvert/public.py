"""The public names, which ``qconvert`` gives away when they are asked for."""

from qconvert.api.conversion import convert as convert
from qconvert.api.conversion import transform as transform
from qconvert.api.loading import load as load
from qconvert.api.models import Converted as Converted
from qconvert.api.models import Model as Model
from qconvert.api.models import Transformed as Transformed
from qconvert.api.npu import NpuInspection as NpuInspection
from qconvert.api.npu import NpuProgram as NpuProgram
from qconvert.api.npu import compile_npu as compile_npu
from qconvert.api.npu import inspect_npu as inspect_npu
from qconvert.api.open_dimension import convert_open as convert_open
from qconvert.api.quantizing import Quantized as Quantized
from qconvert.api.quantizing import quantize as quantize
from qconvert.api.running import run as run
from qconvert.api.saving import save as save
from qconvert.api.verification import SpecificationViolation as SpecificationViolation
from qconvert.api.verification import Verified as Verified
from qconvert.api.verification import verify as verify
from qconvert.backends.base import WriteOptions as WriteOptions
from qconvert.backends.onnx import OnnxOptions as OnnxOptions
from qconvert.backends.onnx import Style as Style
from qconvert.backends.stablehlo import ReductionForm as ReductionForm
from qconvert.backends.stablehlo import StableHloOptions as StableHloOptions
from qconvert.backends.tflite import HeldAs as HeldAs
from qconvert.backends.tflite import TfliteOptions as TfliteOptions
from qconvert.backends.tosa import HalfRounding as HalfRounding
from qconvert.backends.tosa import Profile as Profile
from qconvert.backends.tosa import TosaOptions as TosaOptions
from qconvert.engines.base import EngineName as EngineName
from qconvert.formats import Format as Format
from qconvert.ir import Npu as Npu
from qconvert.ir import find_npu as find_npu
from qconvert.quantization.target import Fallback as Fallback
from qconvert.support.errors import ConversionError as ConversionError
from qconvert.support.errors import EngineError as EngineError
from qconvert.support.errors import EngineMissingError as EngineMissingError
from qconvert.support.errors import QConvertError as QConvertError
from qconvert.support.errors import UsageError as UsageError
from qconvert.support.version import installed_version as _installed_version
from qconvert.validation import Limits as Limits
from qconvert.validation import Report as Report
from qconvert.validation import Settings as Settings
from qconvert.validation import validate as validate

__version__ = _installed_version()

"""The TOSA version, level, profiles and extensions that a module needs."""

from __future__ import annotations

from xdsl.dialects.builtin import ArrayAttr, StringAttr
from xdsl.ir import ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer

from qconvert.ir import LEVEL, SPECIFICATION, Target


@irdl_attr_definition
class TargetEnvAttr(ParametrizedAttribute):
    """``#tosa.target_env<specification_version = "1.0", level = "8k", profiles = [pro_int], extensions = [int16]>``.

    Released tools print an empty list of extensions and do not read it back; they take a module without this attribute
    as one of TOSA 1.0 at level 8k with both profiles and no extension. So only modules with extensions carry it.
    """

    name = "tosa.target_env"

    specification_version: StringAttr
    level: StringAttr
    profiles: ArrayAttr[StringAttr]
    extensions: ArrayAttr[StringAttr]

    @classmethod
    def of(cls, target: Target) -> TargetEnvAttr:
        """Return a target at this version and level."""
        lists = (ArrayAttr(map(StringAttr, names)) for names in (target.profiles, target.extensions))
        return cls(StringAttr(SPECIFICATION), StringAttr(LEVEL), *lists)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> list[StringAttr | ArrayAttr[StringAttr]]:
        """Parse the four entries in order; names may be quoted."""
        with parser.in_angle_brackets():
            found: list[StringAttr | ArrayAttr[StringAttr]] = []
            for entry in ("specification_version", "level", "profiles", "extensions"):
                if found:
                    parser.parse_punctuation(",")
                parser.parse_keyword(entry)
                parser.parse_punctuation("=")
                listed = entry in ("profiles", "extensions")
                found.append(_names(parser) if listed else StringAttr(parser.parse_str_literal()))
        return found

    def print_parameters(self, printer: Printer) -> None:
        """Print the four entries in order."""
        names = [", ".join(name.data for name in entry) for entry in (self.profiles, self.extensions)]
        printer.print_string(
            f'<specification_version = "{self.specification_version.data}", level = "{self.level.data}", '
            f"profiles = [{names[0]}], extensions = [{names[1]}]>"
        )


def _names(parser: AttrParser) -> ArrayAttr[StringAttr]:
    def name() -> StringAttr:
        quoted = parser.parse_optional_str_literal()
        return StringAttr(parser.parse_identifier() if quoted is None else quoted)

    return ArrayAttr(parser.parse_comma_separated_list(parser.Delimiter.SQUARE, name))

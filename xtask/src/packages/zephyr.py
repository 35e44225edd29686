"""Checks a module for Zephyr as far as that goes without Zephyr: the structure of module.yml and what it
names, the module's Kconfig, and the configuration of its sample, by kconfiglib.

A Kconfig that stands for Zephyr's has the symbols that the module selects.
"""

import pathlib
import sys

import kconfiglib
import yaml

BUILD = {"cmake": str, "kconfig": str}
MODULE = {"name": str, "build": dict, "samples": list}
ZEPHYR = """
config REQUIRES_FULL_LIBC
\tbool "Require complete C library"

source "{kconfig}"
"""


def require(condition, message):
    if not condition:
        sys.exit(message)


def require_types(found, known, where):
    require(isinstance(found, dict), f"{where}: no map")
    for key, value in found.items():
        require(isinstance(value, known.get(key, ())), f"{where}: {key}: {value!r}")


module = pathlib.Path(sys.argv[1])
symbol = sys.argv[2]
meta = yaml.safe_load((module / "zephyr/module.yml").read_text())
require_types(meta, MODULE, "module.yml")
require_types(meta["build"], BUILD, "module.yml: build")
require((module / meta["build"]["cmake"] / "CMakeLists.txt").is_file(), "no CMakeLists.txt where module.yml says")
kconfig = module / meta["build"]["kconfig"]
require(kconfig.is_file(), "no Kconfig where module.yml says")
for samples in meta["samples"]:
    require(list((module / samples).glob("*/sample.yaml")), f"no sample in {samples}")

root = pathlib.Path(sys.argv[3])
root.write_text(ZEPHYR.format(kconfig=kconfig.resolve()))
configuration = kconfiglib.Kconfig(str(root), warn_to_stderr=False)
require(configuration.syms[symbol].str_value == "n", "on without being asked for")
configuration.load_config(str(next(module.glob("samples/*/prj.conf"))))
require(not configuration.warnings, "\n".join(configuration.warnings))
require(configuration.syms[symbol].str_value == "y", f"{symbol} is off")
require(configuration.syms["REQUIRES_FULL_LIBC"].str_value == "y", "the C library is not asked for")

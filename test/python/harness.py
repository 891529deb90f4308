"""harness.py - What the tests of the Python package share."""
import importlib.machinery
import importlib.util
import os
import sys

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
EXAMPLES = os.path.join(ROOT, "dsl-examples")
# An installed package is tested as it is, where TKC_INSTALLED says so.
if not os.environ.get("TKC_INSTALLED"):
    sys.path.insert(0, os.path.join(ROOT, "tools", "python", "src"))
sys.path.insert(0, os.path.join(ROOT, "tools", "python"))

from tkc import locate  # noqa: E402


def load_recorder():
    """The driver that records, and tensors that are only descriptions (recorder/recorder.cpp)."""
    path = os.path.join(locate.build_folder(), "lib", "recorder.abi3.so")
    loader = importlib.machinery.ExtensionFileLoader("recorder", path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("recorder", loader))
    loader.exec_module(module)
    return module

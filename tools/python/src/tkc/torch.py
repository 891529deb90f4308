"""torch.py - Kernels as operators of torch.

    ops = tkc.torch.register("mine", tkc.compile("attention.tk"))
    o, l = ops.attention(q, k, v, scale)

An operator takes what a call must give, returns what it makes, and says which tensors it adds to, all from the launch plan. So
torch.compile traces it without a graph break, for symbolic sizes too. Autograd stays outside: a torch.autograd.Function says
which operator is the gradient of which.
"""
import ctypes
import os
import sys

import torch

from . import plan as plans
from .arrays import SIZES, TORCH_NAMES, padded
from .kernel import native

native.set_hook("grad_enabled", torch.is_grad_enabled)
native.set_hook("current_stream", torch._C._cuda_getCurrentRawStream)


def _read_tensors_directly():
    """Hands over torch's C shim, which reads a tensor in a third of the time that DLPack's exchange table takes. A torch without
    these functions is served by the table."""
    folder = os.path.join(os.path.dirname(torch.__file__), "lib")
    try:
        shim, core = (ctypes.CDLL(os.path.join(folder, name)) for name in ("libtorch_cpu.so", "libc10.so"))
        functions = {name: getattr(shim if name.startswith("aoti") else core, name) for name in native.torch_names()}
        numbers = tuple(getattr(shim, f"aoti_torch_dtype_{TORCH_NAMES[dtype]}")() for dtype in plans.DTYPES)
        native.set_torch({name: ctypes.cast(function, ctypes.c_void_p).value for name, function in functions.items()},
                         shim.aoti_torch_device_type_cuda(), numbers)
    except (OSError, AttributeError):
        return
    native.set_hook("torch_types", (torch.Tensor, torch.nn.Parameter))


_read_tensors_directly()

_TYPES = {"f32": "float", "i32": "int", "bool": "bool"}
_libraries = {}  # by namespace: torch forgets operators whose library is gone


def refusal(kind):
    """Of a type of torch: nothing. That this was asked has set the hooks."""
    return None


def given(function):
    """The arguments that a call must give, in order."""
    optional = set(plans.optional_arguments(function))
    return [argument for number, argument in enumerate(function["arguments"]) if number not in optional]


def schema(function):
    """As torch writes it: gemm(Tensor A, Tensor B) -> Tensor."""
    parts, mutated = [], 0
    for argument in given(function):
        if argument["kind"] == "scalar":
            parts.append(f"{_TYPES[argument['dtype']]} {argument['name']}")
        elif argument["written"]:
            parts.append(f"Tensor({chr(ord('a') + mutated)}!) {argument['name']}")
            mutated += 1
        else:
            parts.append(f"Tensor {argument['name']}")
    count = len(plans.optional_arguments(function))
    made = "Tensor" if count == 1 else "(" + ", ".join(["Tensor"] * count) + ")"
    return f"{function['name']}({', '.join(parts)}) -> {made}"


def fake(function):
    """What makes tensors without memory of the shapes, strides and types of an operator's results."""
    names = [argument["name"] for argument in given(function)]
    sources = plans.sources_of_extents(function)
    numbers = {argument["name"]: number for number, argument in enumerate(function["arguments"])}
    by_number = {numbers[name]: place for place, name in enumerate(names)}

    def extent(constant, places, arguments):
        if constant >= 0:
            return constant
        argument, dim = next(divmod(place, plans.MAX_RANK) for place in places if place // plans.MAX_RANK in by_number)
        return arguments[by_number[argument]].shape[dim]

    def make(*arguments):
        tensor = next(argument for argument in arguments if isinstance(argument, torch.Tensor))
        results = []
        for number in plans.optional_arguments(function):
            dtype = function["arguments"][number]["dtype"]
            shape = [extent(constant, places, arguments) for constant, places in sources[number]]
            results.append(torch.empty_strided(shape, padded(shape, SIZES[dtype])[0], device=tensor.device,
                                               dtype=getattr(torch, TORCH_NAMES[dtype])))
        return None if not results else results[0] if len(results) == 1 else tuple(results)

    return make


def _tags():
    """Inductor hands tensors over with the strides that they have, where this torch can be told to."""
    for name in ("needs_exact_strides", "needs_fixed_stride_order"):
        if hasattr(torch.Tag, name):
            return (getattr(torch.Tag, name),)
    return ()


def _library_of(namespace):
    if namespace not in _libraries:
        _libraries[namespace] = torch.library.Library(namespace, "FRAGMENT")
    return _libraries[namespace]


def _call_directly(op):
    """Lets the code that Inductor writes call what the operator does, op.default.direct, without the dispatcher, which takes about
    as long as the launch. Asked when an operator is traced, since Inductor takes a second to import; a torch whose Inductor cannot be
    told so calls the operator."""
    if "torch._inductor.codegen.wrapper" not in sys.modules:
        return
    try:
        from torch._inductor.codegen.custom_extern_kernel_codegen import CUSTOM_EXTERN_KERNEL_CODEGEN, CustomCodegen
        from torch._inductor.codegen.wrapper import ExternKernelAllocLine
        from torch._inductor.virtualized import V
    except ImportError:
        return

    def write(node, writeline):
        node.python_kernel_name = f"torch.ops.{op.default}.direct"
        writeline(ExternKernelAllocLine(V.graph.wrapper_code, node))

    CUSTOM_EXTERN_KERNEL_CODEGEN.setdefault(f"torch.ops.{op.default}", CustomCodegen(python=write))


def define_composite(namespace, name, signature, implementation, make_fake):
    """Defines an operator of a signature in torch's words; what it launches is for the function to say."""
    library = _library_of(namespace)
    library.define(name + signature, tags=_tags())
    for device in ("CUDA", "CPU"):  # on the CPU a kernel runs if it was compiled with cpu=
        library.impl(name, implementation, device)
    op = getattr(getattr(torch.ops, namespace), name)
    op.default.direct = implementation

    def traced(*arguments):
        _call_directly(op)
        return make_fake(*arguments)

    torch.library.register_fake(f"{namespace}::{name}", traced, lib=library)
    return op


def define(namespace, kernel, name=None):
    """Defines one operator; `name` replaces the kernel's."""
    function = {**kernel.plan, "name": name or kernel.plan["name"]}
    name, signature = schema(function).split("(", 1)
    # By place, those that must be given: as the kernel takes them.
    return define_composite(namespace, name, "(" + signature, kernel.below_autograd, fake(function))


def register(namespace, *libraries):
    """Defines an operator for each function of compiled sources: torch.ops.NAMESPACE."""
    for library in libraries:
        for kernel in library:
            define(namespace, kernel)
    return getattr(torch.ops, namespace)

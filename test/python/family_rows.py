"""family_rows.py - The timed rows of the kernel families as calls with PyTorch's tensors, for whoever has a GPU."""
import collections
import concurrent.futures

import numpy as np
import torch

import harness  # noqa: F401 - the path to tkc_run
from tkc_run import abi, families, sweep

DTYPES = {abi.BF16: torch.bfloat16, abi.F16: torch.float16, abi.F32: torch.float32, abi.E4M3: torch.float8_e4m3fn,
          abi.E5M2: torch.float8_e5m2, abi.I8: torch.int8, abi.I32: torch.int32}


def on_device(tensor, buffers):
    """The elements of a test tensor in a copy of its buffer on the device, which tensors of one buffer share."""
    key = id(tensor.buffer)
    if key not in buffers:
        buffers[key] = torch.from_numpy(np.ascontiguousarray(tensor.buffer).view(np.uint8)).cuda()
    copy = buffers[key]
    view = tensor.view(copy.data_ptr())
    elements = copy.view(DTYPES[view.dtype])
    offset = (view.data - copy.data_ptr()) // elements.element_size()
    return torch.as_strided(elements, view.extents[:view.rank], view.strides[:view.rank], offset)


def rows(names, ahead=6):
    """(file, kernel, text of the shape, calls) of each row of the kernels that are named, of all if none is. A call is a kernel's
    name, its tensors and its numbers, in the order of the parameters. Threads make the inputs of so many rows
    ahead: numpy takes longer than the kernels."""
    timed = [(family, kernel, text) for family, kernel in families.select(names) for named, text in family.rows if named == kernel]

    def make_launches(row):
        family, kernel, text = row
        return family.problem(family.parse(text), 1, kernel).launches(kernel)

    with concurrent.futures.ThreadPoolExecutor(ahead) as threads:
        pending = collections.deque()
        for at, (family, kernel, text) in enumerate(timed):
            while len(pending) < ahead and at + len(pending) < len(timed):
                pending.append(threads.submit(make_launches, timed[at + len(pending)]))
            buffers = {}
            yield sweep.example_source(family.example(kernel)), kernel, text, [
                (launch.kernel, [on_device(tensor, buffers) for tensor in launch.tensors.values()],
                 [scalar.value for scalar in launch.scalars]) for launch in pending.popleft().result()]


def arguments(kernel, tensors, numbers):
    """The arguments of a kernel of the package."""
    tensors, numbers = iter(tensors), iter(numbers)
    return [next(tensors if argument["kind"] == "tensor" else numbers) for argument in kernel.plan["arguments"]]

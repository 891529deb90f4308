"""gallery.py - The family of test/gallery's kernels that are timed: the first texts that come to mind, untuned."""
from .cases import table_family
from .gallery_matmuls import (few_rows, gated_mlp, loss_without_logits, matmul_of_bytes, matrix_vector, norm_and_matmul, weights_of_4_bits,
                              weights_of_8_bits)
from .gallery_rows import adam, argmax, cross_entropy, halves_of_rows, long_rows, nearest_centre, transposed
from .gallery_sequences import attention_bias, delta_rule, few_queries

# As in sequences.py; each is an example of its own.
MATMULS = [(1, 1, 1), (130, 70, 260), (129, 200, 300)]
HEADS = [(1, 1, 1), (1, 2, 63), (2, 1, 64), (1, 3, 130)]
ELEMENTS = [(1, 1), (63, 130), (130, 65)]
SHAPES = {
    gated_mlp: MATMULS,
    norm_and_matmul: MATMULS,
    weights_of_8_bits: MATMULS,
    weights_of_4_bits: [(1, 2, 1), (260, 70, 130), (200, 192, 129)],
    matmul_of_bytes: MATMULS,
    loss_without_logits: [(1, 1, 1, 1), (130, 70, 600, 2), (20, 100, 1000, 8)],
    matrix_vector: [(1, 1), (65, 300), (130, 1000)],
    few_rows: [(1, 1, 1), (16, 70, 260), (13, 200, 300), (40, 64, 64)],
    few_queries: [(1, 1), (16, 64), (50, 200)],
    attention_bias: HEADS,
    delta_rule: HEADS,
    nearest_centre: [(1, 1), (130, 300)],
    cross_entropy: [(1, 1), (65, 300), (130, 129)],
    argmax: [(1, 1), (65, 300), (130, 65)],
    halves_of_rows: [(1, 64), (65, 128)],
    long_rows: [(1, 1), (65, 300), (130, 127)],
    transposed: ELEMENTS,
    adam: ELEMENTS,
}
SOURCES = {few_queries: "few_rows"}  # where the file has another name
KERNELS = {case.__name__: (SOURCES.get(case, case.__name__), case, None, shapes) for case, shapes in SHAPES.items()}
KERNELS["few_rows_by_warps"] = KERNELS["few_rows"]

WIDE = ("8192x4096x4096", "1024x4096x14336")
TIMED = {
    "gated_mlp": ("8192x4096x4096", "4096x4096x14336"),
    "norm_and_matmul": ("8192x4096x4096", "4096x1024x4096"),
    "weights_of_8_bits": WIDE,
    "weights_of_4_bits": WIDE,
    "matmul_of_bytes": ("4096x4096x4096", "8192x8192x8192"),
    "loss_without_logits": ("4096x4096x32768x8",),
    "matrix_vector": ("28672x8192",),
    "few_rows": ("16x4096x14336",),
    "few_rows_by_warps": ("16x4096x14336",),
    "few_queries": ("2048x4096",),
    "attention_bias": ("2x16x4096",),
    "delta_rule": ("4x16x4096",),
    "nearest_centre": ("262144x4096",),
    "cross_entropy": ("8192x32768",),
    "argmax": ("8192x32768",),
    "halves_of_rows": ("16384x4096",),
    "long_rows": ("65536x1024", "16384x4096"),
    "transposed": ("8192x8192",),
    "adam": ("4096x4096",),
}


def peers(problem, kernel, tensors):
    """torch, torch.compile, and a kernel's matmul alone."""
    import gallery_peers

    return gallery_peers.PEERS.get(kernel, lambda tensors: {})(tensors)


FAMILY = table_family("gallery", KERNELS, [(kernel, text) for kernel, texts in TIMED.items() for text in texts], peers)

"""Times of matrix products of 1024 by 1024 floats, called in turns: the C function of `version.c`, TVM with the same
schedule, and NumPy, which calls OpenBLAS. Prints seconds as JSON."""

import ctypes
import json
import os
import subprocess
import sys
import time

import numpy as np
import tvm
from tvm import te

SIZE, BLOCK, INNER = 1024, 32, 4
OPTIONS = "-std=c99 -O3 -ffp-contract=off -march=native -fopenmp -shared -fPIC -w".split()


def schedule():
    """The tutorial's last version: blocks, a packed right matrix, vectors, threads."""
    k = te.reduce_axis((0, SIZE), "k")
    a = te.placeholder((SIZE, SIZE), name="A")
    b = te.placeholder((SIZE, SIZE), name="B")
    packed = te.compute(
        (SIZE // BLOCK, SIZE, BLOCK), lambda o, r, i: b[r, o * BLOCK + i], name="packed"
    )
    c = te.compute(
        (SIZE, SIZE),
        lambda m, n: te.sum(a[m, k] * packed[n // BLOCK, k, n % BLOCK], axis=k),
        name="C",
    )
    function = te.create_prim_func([a, b, c])
    try:
        from tvm.s_tir import Schedule
    except ImportError:
        from tvm.tir import Schedule
    s = Schedule(function)
    block = s.get_sblock if hasattr(s, "get_sblock") else s.get_block
    outer, _, inner = s.get_loops(block("packed"))
    s.vectorize(inner)
    s.parallel(outer)
    product = block("C")
    written = s.cache_write(product, 0, "global")
    m, n, r = s.get_loops(product)
    mo, mi = s.split(m, [None, BLOCK])
    no, ni = s.split(n, [None, BLOCK])
    ro, ri = s.split(r, [None, INNER])
    s.reorder(mo, no, ro, mi, ri, ni)
    s.reverse_compute_at(written, no)
    s.vectorize(ni)
    s.unroll(ri)
    s.parallel(mo)
    s.decompose_reduction(product, ro)
    s.vectorize(s.get_loops(written)[-1])
    target = tvm.target.Target({"kind": "llvm", "mcpu": processor()})
    return tvm.compile(s.mod, target=target)["main"]


def processor():
    """What `-march=native` stands for."""
    said = subprocess.run(
        ["gcc", "-march=native", "-Q", "--help=target"], capture_output=True, text=True
    ).stdout
    for line in said.splitlines():
        words = line.split()
        if len(words) == 2 and words[0] == "-march=":
            return words[1]
    return "native"


def compiled(source):
    """The C function, with the options that rise-ls compiles with."""
    library = os.path.splitext(source)[0] + ".so"
    subprocess.check_call([os.environ.get("CC", "cc"), *OPTIONS, source, "-o", library, "-lm"])
    return ctypes.CDLL(library).version


def main():
    source, turns = sys.argv[1], int(sys.argv[2])
    version, theirs = compiled(source), schedule()
    numbers = np.random.default_rng(1)
    a = numbers.random((SIZE, SIZE), dtype="float32")
    b = numbers.random((SIZE, SIZE), dtype="float32")
    own, blas = np.zeros((SIZE, SIZE), "float32"), np.zeros((SIZE, SIZE), "float32")
    tensors = [tvm.runtime.tensor(x, tvm.cpu()) for x in (a, b, np.zeros_like(own))]
    pointer = lambda x: x.ctypes.data_as(ctypes.c_void_p)
    calls = {
        "rise": lambda: version(pointer(own), ctypes.c_int(SIZE), pointer(a), pointer(b)),
        "tvm": lambda: theirs(*tensors),
        "openblas": lambda: np.matmul(a, b, out=blas),
    }
    times = {name: [] for name in calls}
    for turn in range(turns + 2):
        for name, call in calls.items():
            start = time.perf_counter()
            call()
            if turn >= 2:
                times[name].append(time.perf_counter() - start)
            # Threads that wait for work stop spinning before the next one begins.
            time.sleep(0.06)
    for result in (own, tensors[2].numpy()):
        assert np.abs(result - blas).max() < 1e-2, "the results differ"
    print(json.dumps(times))


main()

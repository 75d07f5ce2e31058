"""Compares the definitions of a folder, by default this one, with their C references.

    python3 compare.py RISE_LS [--folder FOLDER] [--sizes SET] [--openmp] [DEFINITION ...]

For each line of sizes.txt the script generates random arguments with NumPy, runs the definition in the interpreter of
RISE_LS, compiles the reference with `cc`, calls it with the same arguments, and prints the largest difference. SET is
PRIME, SMALL (the default) or TILES; `--openmp` compiles the references with OpenMP. The exit status is 1 if a number of a
result differs by more than 1e-4 times the larger of 1 and the number of the interpreter.
"""

import argparse
import ctypes
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np

def definitions(programs):
    """The lines of sizes.txt: file, definition, and a dictionary from labels to texts."""
    for line in (programs / "sizes.txt").read_text().splitlines():
        if not line.startswith("#"):
            head, *rest = re.split(r"\s+([A-Z]+): ", line)
            file, name = head.split()
            yield file, name, dict(zip(rest[::2], rest[1::2]))


def element_type(text):
    """The NumPy type of the scalars and pairs of RISE."""
    if text.startswith("("):
        depth = 0
        for at, c in enumerate(text):
            depth += (c == "(") - (c == ")")
            if c == "," and depth == 1:
                return np.dtype([("_1", element_type(text[1:at])), ("_2", element_type(text[at + 1 : -1].strip()))])
    return np.dtype("f4" if text == "f32" else "i4")


def argument(text, spec, rng):
    """A value of a type of RISE, as the specification says; random without one."""
    *sizes, element = re.fullmatch(r"((?:\d+\.)*)(.*)", text).groups()
    shape = [int(n) for n in sizes[0].split(".") if n]
    dtype = element_type(element)
    value = np.empty(shape, dtype)
    bounds = re.fullmatch(r"random\((.*),(.*)\)", spec)
    for leaf in leaves(value):
        if bounds:
            leaf[...] = rng.uniform(float(bounds[1]), float(bounds[2]), shape)
        elif spec:
            leaf[...] = json.loads(spec)
        elif element.startswith("Idx"):
            leaf[...] = rng.integers(0, int(element[4:-1]), shape)
        else:
            leaf[...] = rng.uniform(-1, 1, shape)
    return value


def leaves(array):
    """The arrays of numbers that an array of pairs consists of."""
    if array.dtype.names is None:
        return [array]
    return [leaf for name in array.dtype.names for leaf in leaves(array[name])]


def compare(rise_ls, programs, folder, file, name, sizes, specs, flags):
    """The largest difference between the interpreter and the reference."""
    program = programs / f"{file}.rise"
    command = [rise_ls, "run", program, "--def", name, "--backend", "interp", "--format", "json"]
    command += [part for size in sizes.split(",") for part in ("-D", size)]
    described = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    rng = np.random.default_rng(0)
    arguments = []
    for parameter in described["args"]:
        value = argument(parameter["type"], specs.get(parameter["name"], ""), rng)
        path = folder / f"{parameter['name']}.npy"
        np.save(path, value)
        command += ["--arg", f"{parameter['name']}={path}"]
        arguments.append(value)
    result = folder / "result.npy"
    subprocess.run([*command, "--out", result], capture_output=True, check=True)
    expected = np.load(result)

    library = folder / f"{name}.so"
    flags = ["-std=c99", "-O2", "-ffp-contract=off", "-shared", "-fPIC", *flags]
    subprocess.run(["cc", *flags, programs / f"{file}.c", "-o", library, "-lm"], check=True)
    output = np.zeros_like(expected)
    passed = [ctypes.c_int(int(size.split("=")[1])) for size in sizes.split(",")]
    for value in arguments:
        scalar = ctypes.c_float if value.dtype == "f4" else ctypes.c_int
        passed.append(ctypes.c_void_p(value.ctypes.data) if value.shape else scalar(value.item()))
    getattr(ctypes.CDLL(library), f"{name}_reference")(ctypes.c_void_p(output.ctypes.data), *passed)

    worst = 0.0
    for a, b in zip(leaves(output), leaves(expected)):
        worst = np.maximum(worst, np.max(np.abs(a.astype("f8") - b) / np.maximum(1, np.abs(b))))
    return worst


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rise_ls")
    parser.add_argument("definition", nargs="*")
    parser.add_argument("--folder", default=pathlib.Path(__file__).parent, type=pathlib.Path)
    parser.add_argument("--sizes", default="SMALL", choices=["PRIME", "SMALL", "TILES"])
    parser.add_argument("--openmp", dest="flags", default=[], action="store_const", const=["-fopenmp"])
    options = parser.parse_intermixed_args()
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        for file, name, texts in definitions(options.folder):
            if options.definition and name not in options.definition:
                continue
            specs = dict(text.split("=", 1) for text in texts.get("ARGS", "").split())
            sizes = texts[options.sizes]
            worst = compare(
                options.rise_ls, options.folder, pathlib.Path(folder), file, name, sizes, specs, options.flags
            )
            wrong = not worst <= 1e-4
            failed |= wrong
            print(f"{name}: {worst:.1e}{' wrong' if wrong else ''}")
    sys.exit(failed)


if __name__ == "__main__":
    main()

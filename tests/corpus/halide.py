"""Compares the default OpenMP schedules of programs with those that Halide finds.

    python3 halide.py RISE_LS [--sizes SET] [--threads N] [--runs N] [--strict] [PROGRAM ...]

The programs are `blur`, `unsharpMask`, `harris` and `conv2dLayer` of this folder and `picture`, the camera pipeline of
examples/strategies. Each is written a second time below, in Halide: the same stages, borders, layouts and sizes, and the
same operations in the same order. Halide schedules them with its autoschedulers Mullapudi2016 and Adams2019 and compiles
them for this machine. RISE_LS emits the definition with its default schedule, as `--as openmp` prints it, and `gcc`
compiles that. Sizes are arguments of all compiled programs; Halide's schedules know them as estimates.

For each program the script generates random arguments with NumPy, runs the three compiled programs in turns on the same
arguments, after one run that warms up and whose results are compared, and prints the medians of their times and the time
of the faster schedule of Halide divided by that of RISE_LS: above 1, RISE_LS is faster. The last line is the geometric
mean of these ratios. The exit status is 1 if a number of a result of Halide differs by more than 1e-4 times the larger of
1 and the number of RISE_LS. Numbers of `picture`, which are integers, may differ by 1 in one of 1000 places, where a
number is rounded down to the next integer just below it.

Both may join a multiplication and an addition into one operation, which is rounded once. With `--strict` neither does:
the definition has the annotation `@exact`, and Halide's target the feature `strict_float`. SET is PRIME, SMALL, TILES or
TIMED (the default), as in sizes.txt.

This needs Linux, Python 3.10 or newer, `gcc`, and the Python package of Halide 21, which contains the autoschedulers and
depends on NumPy:

    python3 -m venv ENVIRONMENT
    ENVIRONMENT/bin/pip install halide==21.0.0
"""

import argparse
import ctypes
import functools
import inspect
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

import compare

# In this folder, `import halide` would find this file.
sys.path = [folder for folder in sys.path if pathlib.Path(folder).resolve() != compare.FOLDER.resolve()]
import halide as hl  # noqa: E402

AUTOSCHEDULERS = ["Mullapudi2016", "Adams2019"]
FLAGS = ["-std=gnu99", "-O3", "-march=native", "-fno-math-errno", "-ffp-contract=off", "-fopenmp", "-shared", "-fPIC"]
# Seconds before a timed run: after these, no thread of the run before still spins while it waits for work.
PAUSE = 0.05
CAMERA = compare.FOLDER.parent.parent / "examples" / "strategies" / "camera.rise"
CAMERA_TEXTS = {
    "PRIME": "h=37,w=41",
    "SMALL": "h=4,w=5",
    "TILES": "h=64,w=64",
    "TIMED": "h=1536,w=2048",
    "ARGS": "temperature=3700 contrast=0.5 raw=random(0,1024)",
}

# ---- programs -----------------------------------------------------------------------------------
#
# A function for each program. Its parameters have the names of those in the definition, and the innermost dimension of an
# array is the first one here.

x, y, c, n = hl.vars("x y c n")


def weighted(pairs):
    """The sum of products of weights and terms, from left to right, without those whose weight is 0."""
    products = [hl.f32(weight) * term for weight, term in pairs if weight != 0]
    total = products[0]
    for product in products[1:]:
        total += product
    return total


def window(image, size=3):
    """The numbers of a window that begins at a point, row by row."""
    return [image[x + j, y + i] for i in range(size) for j in range(size)]


def clamped(image):
    """An image continued with its border."""
    return hl.BoundaryConditions.repeat_edge(image)


def blur(image):
    near = clamped(image)
    output = hl.Func("blur")
    numbers = [near[x + j, y + i] for i in (-1, 0, 1) for j in (-1, 0, 1)]
    output[x, y] = weighted(zip([1, 2, 1, 2, 4, 2, 1, 2, 1], numbers)) / 16
    return output


def unsharp_mask(amount, weights, image):
    near = clamped(image)
    columns, soft, output = hl.Func("columns"), hl.Func("soft"), hl.Func("unsharp_mask")
    columns[x, y] = sum(weights[k] * near[x, y + k - 2] for k in range(5))
    soft[x, y] = sum(weights[k] * columns[x + k - 2, y] for k in range(5))
    output[x, y] = image[x, y] + amount * (image[x, y] - soft[x, y])
    return output


def harris(kappa, grey):
    sobel = np.array([[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]]) / 12
    ix, iy = hl.Func("ix"), hl.Func("iy")
    ix[x, y] = weighted(zip(sobel.ravel(), window(grey)))
    iy[x, y] = weighted(zip(sobel.T.ravel(), window(grey)))

    def sum_of_products(a, b, name):
        product, total = hl.Func(f"{name}_product"), hl.Func(name)
        product[x, y] = a[x, y] * b[x, y]
        total[x, y] = sum(window(product))
        return total[x, y]

    xx, xy, yy = sum_of_products(ix, ix, "xx"), sum_of_products(ix, iy, "xy"), sum_of_products(iy, iy, "yy")
    trace = xx + yy
    output = hl.Func("harris")
    output[x, y] = xx * yy - xy * xy - kappa * trace * trace
    return output


def conv2d_layer(images, weights, bias):
    width, height, channels = (images.dim(i).extent() for i in range(3))
    near = hl.BoundaryConditions.constant_exterior(images, hl.f32(0))
    r = hl.RDom([(0, 3), (0, 3), (0, channels)])
    sums, output = hl.Func("sums"), hl.Func("conv2d_layer")
    sums[x, y, c, n] = hl.f32(0)
    sums[x, y, c, n] += weights[r.x, r.y, r.z, c] * near[x + r.x - 1, y + r.y - 1, r.z, n]
    output[x, y, c, n] = hl.max(bias[c] + sums[x, y, c, n], 0)
    return output


def picture(temperature, contrast, raw):
    tamed = hl.Func("tamed")
    most = hl.max(hl.max(raw[x + 2, y], raw[x + 2, y + 4]), hl.max(raw[x, y + 2], raw[x + 4, y + 2]))
    tamed[x, y] = hl.min(raw[x + 2, y + 2], most)

    # The four numbers of each block of two by two.
    planes = [[hl.Func(f"plane{i}{j}") for j in range(2)] for i in range(2)]
    for i in range(2):
        for j in range(2):
            planes[i][j][x, y] = tamed[2 * x + j, 2 * y + i]

    def at(i, j):
        return planes[i % 2][j % 2][x + j // 2, y + i // 2]

    def mean(*points):
        return hl.div_round_to_zero(sum(at(i, j) for i, j in points), len(points))

    # The colours of the four pixels between such blocks.
    blocks = [
        [
            [
                at(1, 1),
                mean((0, 1), (1, 0), (1, 2), (2, 1)),
                mean((0, 0), (0, 2), (2, 0), (2, 2)),
            ],
            [
                mean((1, 1), (1, 3)),
                at(1, 2),
                mean((0, 2), (2, 2)),
            ],
        ],
        [
            [
                mean((1, 1), (3, 1)),
                at(2, 1),
                mean((2, 0), (2, 2)),
            ],
            [
                mean((1, 1), (1, 3), (3, 1), (3, 3)),
                mean((1, 2), (2, 1), (2, 3), (3, 2)),
                at(2, 2),
            ],
        ],
    ]
    colours = []
    for k, name in enumerate(["red", "green", "blue"]):
        parts = [[hl.Func(f"{name}{i}{j}") for j in range(2)] for i in range(2)]
        for i in range(2):
            for j in range(2):
                parts[i][j][x, y] = blocks[i][j][k]
        rows = [hl.select(x % 2 == 0, parts[i][0][x / 2, y / 2], parts[i][1][x / 2, y / 2]) for i in range(2)]
        colour = hl.Func(name)
        colour[x, y] = hl.select(y % 2 == 0, rows[0], rows[1])
        colours.append(colour)

    warm = [
        [1.6697, -0.2693, -0.4004, -42.4346],
        [-0.3576, 1.0615, 1.5949, -37.1158],
        [-0.2175, -1.8751, 6.964, -26.697],
    ]
    cold = [
        [2.2997, -0.4478, 0.1706, -39.0923],
        [-0.3826, 1.5906, -0.208, -25.4311],
        [-0.0888, -0.7344, 2.2832, -20.0826],
    ]
    low, high = hl.f32(1) / 3200, hl.f32(1) / 7000
    sky = (1 / temperature - low) / (high - low)
    matrix = hl.Func("matrix")
    weights = [hl.Buffer(np.array(m, "f4")) for m in (warm, cold)]
    matrix[x, c] = (1 - sky) * weights[0][x, c] + sky * weights[1][x, c]

    corrected = []
    for k, name in enumerate(["corrected_red", "corrected_green", "corrected_blue"]):
        sums = sum(matrix[i, k] * hl.f32(colours[i][x, y]) for i in range(3))
        colour = hl.Func(name)
        colour[x, y] = hl.i32(sums + matrix[3, k])
        corrected.append(colour)

    curve = hl.Func("curve")
    share = hl.f32(x) / 1023
    curve[x] = hl.i32(255 * hl.min(1, share * (1 + contrast * (1 - share))))
    output = hl.Func("picture")
    output[c, x, y] = curve[hl.clamp(hl.mux(c, [colour[x, y] for colour in corrected]), 0, 1023)]
    output.bound(c, 0, 3)
    return output


PIPELINES = {
    "blur": blur,
    "unsharpMask": unsharp_mask,
    "harris": harris,
    "conv2dLayer": conv2d_layer,
    "picture": picture,
}

# ---- compilation --------------------------------------------------------------------------------


def programs():
    """The path of each program, its definition, and a dictionary from labels to texts, as in sizes.txt."""
    for file, name, texts in compare.definitions():
        if name in PIPELINES:
            yield compare.FOLDER / f"{file}.rise", name, texts
    yield CAMERA, "picture", CAMERA_TEXTS


def types(rise_ls, program, name, sizes):
    """The types of the parameters and of the result of a definition for these sizes."""
    command = [rise_ls, "types", program, "--def", name, "--format", "json"]
    described = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    for part in described["type"].split(" where ")[0].split(" -> "):
        if not re.fullmatch(r"[({]\w+: Nat[)}]", part):
            *extents, element = part.split(".")
            yield ".".join([*(str(eval(extent, {}, sizes)) for extent in extents), element])


def compile_rise(options, folder, program, name, sizes, arguments):
    """A function that runs the default OpenMP schedule of a definition; its argument is the array for the result."""
    source, library = folder / f"{name}.c", folder / f"{name}.so"
    if options.strict:
        text = re.sub(rf"^def {name}\b", r"@exact\n\g<0>", program.read_text(), flags=re.MULTILINE)
        program = folder / program.name
        program.write_text(text)
    subprocess.run([options.rise_ls, "emit", program, "--def", name, "--as", "openmp", "-o", source], check=True)
    subprocess.run(["gcc", *FLAGS, source, "-o", library, "-lm"], check=True)
    passed = [ctypes.c_int(size) for size in sizes.values()]
    for value in arguments.values():
        scalar = ctypes.c_float if value.dtype == "f4" else ctypes.c_int
        passed.append(ctypes.c_void_p(value.ctypes.data) if value.shape else scalar(value.item()))
    function = getattr(ctypes.CDLL(library), name)
    function.restype = None
    return lambda output: function(ctypes.c_void_p(output.ctypes.data), *passed)


@functools.cache
def load_autoscheduler(autoscheduler):
    """Loads the plugin of an autoscheduler, which lies in the package of Halide."""
    (plugin,) = pathlib.Path(hl.__file__).parent.rglob(f"libautoschedule_{autoscheduler.lower()}.so")
    hl.load_plugin(str(plugin))


def compile_halide(name, autoscheduler, options, arguments, result):
    """A function that runs a pipeline with the schedule of an autoscheduler; its argument is as above."""
    parameters = []
    for label, value in arguments.items():
        element = hl.Float(32) if value.dtype == "f4" else hl.Int(32)
        if value.shape:
            parameter = hl.ImageParam(element, value.ndim, label)
            for i, extent in enumerate(reversed(value.shape)):
                parameter.dim(i).set_estimate(0, extent)
        else:
            parameter = hl.Param(element, label)
            parameter.set_estimate(value.item())
        parameters.append(parameter)
    output = PIPELINES[name](*parameters)
    output.set_estimates([hl.Range(0, extent) for extent in reversed(result.shape)])
    pipeline = hl.Pipeline(output)

    target = hl.get_host_target()
    if options.strict:
        target = target.with_feature(hl.TargetFeature.StrictFloat)
    load_autoscheduler(autoscheduler)
    chosen = hl.AutoschedulerParams(autoscheduler, {"parallelism": str(options.threads)})
    pipeline.apply_autoscheduler(target, chosen)
    function = pipeline.compile_to_callable(parameters, target)
    passed = [hl.Buffer(value) if value.shape else value.item() for value in arguments.values()]
    return lambda output: function(*passed, hl.Buffer(output))


# ---- comparison ---------------------------------------------------------------------------------


def difference(output, expected):
    """The largest difference between two results, relative to the larger of 1 and the expected number."""
    rows = zip(output.reshape(len(output), -1), expected.reshape(len(expected), -1))
    if expected.dtype == "f4":
        return max(np.max(np.abs(a.astype("f8") - b) / np.maximum(1, np.abs(b))) for a, b in rows)
    apart = [np.abs(a - b) for a, b in rows]
    if max(map(np.max, apart)) <= 1 and sum(map(np.count_nonzero, apart)) <= expected.size / 1000:
        return 0.0
    return float(max(map(np.max, apart)))


def measure(options, folder, program, name, texts):
    """The median times of RISE_LS and of the schedules of Halide, and the largest differences between their results."""
    specs = dict(text.split("=", 1) for text in texts.get("ARGS", "").split())
    sizes = {label: int(size) for label, size in (size.split("=") for size in texts[options.sizes].split(","))}
    rng = np.random.default_rng(0)
    *parameters, result = types(options.rise_ls, program, name, sizes)
    labels = inspect.signature(PIPELINES[name]).parameters
    arguments = {
        label: compare.argument(parameter, specs.get(label, ""), rng)
        for label, parameter in zip(labels, parameters, strict=True)
    }
    expected = compare.argument(result, "0", rng)
    runs = [compile_rise(options, folder, program, name, sizes, arguments)]
    runs += [compile_halide(name, scheduler, options, arguments, expected) for scheduler in AUTOSCHEDULERS]

    runs[0](expected)
    output = np.zeros_like(expected)
    worst = 0.0
    for run in runs[1:]:
        output.fill(-1)
        run(output)
        worst = np.maximum(worst, difference(output, expected))

    times = [[] for _ in runs]
    for _ in range(options.runs):
        for run, elapsed in zip(runs, times):
            time.sleep(PAUSE)
            start = time.perf_counter()
            run(output)
            elapsed.append(time.perf_counter() - start)
    return [statistics.median(elapsed) for elapsed in times], worst


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rise_ls")
    parser.add_argument("program", nargs="*")
    parser.add_argument("--sizes", default="TIMED", choices=["PRIME", "SMALL", "TILES", "TIMED"])
    parser.add_argument("--threads", type=int, default=2, help="threads of all programs (2)")
    parser.add_argument("--runs", type=int, default=11, help="timed runs of each program (11)")
    parser.add_argument("--strict", action="store_true", help="keep the rounding of the definitions")
    options = parser.parse_intermixed_args()
    os.environ["OMP_NUM_THREADS"] = os.environ["HL_NUM_THREADS"] = str(options.threads)
    failed = False
    ratios = []
    with tempfile.TemporaryDirectory() as folder:
        for program, name, texts in programs():
            if options.program and name not in options.program:
                continue
            (rise, *halide), worst = measure(options, pathlib.Path(folder), program, name, texts)
            wrong = not worst <= 1e-4
            failed |= wrong
            ratios.append(min(halide) / rise)
            figures = [f"{label} {1e3 * t:.2f} ms" for label, t in zip(["rise", *AUTOSCHEDULERS], [rise, *halide])]
            figures += [f"ratio {ratios[-1]:.2f}", f"difference {worst:.1e}{' wrong' if wrong else ''}"]
            print(f"{name}: {', '.join(figures)}", flush=True)
    if ratios:
        print(f"geometric mean: {statistics.geometric_mean(ratios):.2f}")
    sys.exit(failed)


if __name__ == "__main__":
    main()

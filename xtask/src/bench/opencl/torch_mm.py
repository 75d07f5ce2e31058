# The vendor's BLAS through PyTorch: square matrix products in plain fp32, "size milliseconds".
import sys

try:
    import torch
except ImportError:
    sys.exit(0)
if not torch.cuda.is_available():
    sys.exit(0)
torch.backends.cuda.matmul.allow_tf32 = False
torch.set_float32_matmul_precision("highest")
for size in (1024, 4096):
    a, b = (torch.rand(size, size, device="cuda") for _ in range(2))
    c = torch.empty(size, size, device="cuda")
    times = []
    for turn in range(20):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        torch.mm(a, b, out=c)
        end.record()
        end.synchronize()
        if turn >= 10:
            times.append(start.elapsed_time(end))
    print(size, sorted(times)[len(times) // 2])

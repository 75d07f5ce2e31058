//! Plans that are bound to a device: buffers are filled and kernels are built, ready for any number
//! of runs.

use super::error::OclError;
use super::plan::{ArgPlan, LaunchPlan, OutputPlan, ParamPlan, Plan, SizePlan};
use super::session::{Arg, Buffer, Built, KernelHandle, KernelInfo, Session};
use std::time::Duration;

/// The largest number of launches that are queued before the host waits for their end.
const MAX_QUEUED: usize = 1024;

/// Kernels with their arguments on a device.
#[derive(Debug)]
pub struct BoundPlan {
    // Declared first, because kernels are dropped before the buffers that they refer to.
    launches: Vec<BoundLaunch>,
    kernels: Vec<BoundKernel>,
    /// The launches in the order of their execution, each as its number in `launches`.
    order: Vec<u32>,
    outputs: Vec<(OutputPlan, Buffer)>,
    /// The values from which outputs are updated in place, each with the number of the output.
    starts: Vec<(usize, Vec<u8>)>,
    _memory: Vec<Buffer>,
    session: Session,
    /// The time of the transfer of the arguments to the device.
    pub upload: Duration,
    /// The output of the driver's compiler, which may be empty.
    pub log: String,
}

/// A kernel with the arguments of a launch.
#[derive(Debug)]
struct BoundLaunch {
    kernel: usize,
    handle: KernelHandle,
}

#[derive(Debug)]
struct BoundKernel {
    info: KernelInfo,
    local: [usize; 3],
    global: [usize; 3],
}

impl Session {
    /// Builds a plan's kernels, and transfers its arguments to the device. The iterator of
    /// arguments is consumed in order.
    ///
    /// # Errors
    /// Fails with an error of OpenCL, or of the iterator.
    pub fn bind<B: AsRef<[u8]>, E: From<OclError>>(
        &self,
        plan: &Plan,
        args: impl IntoIterator<Item = Result<B, E>>,
    ) -> Result<BoundPlan, E> {
        let built = self.build(&plan.text, "")?;
        let kernels = self.kernels(plan, &built)?;
        let mut outputs = Vec::new();
        for output in &plan.outputs {
            let mut buffer = self.buffer(size(output.size)?)?;
            // Elements that a program never writes are 0.
            buffer.clear()?;
            outputs.push((*output, buffer));
        }
        let temporary: Vec<Buffer> = (plan.buffers.iter())
            .map(|bytes| self.buffer(size(*bytes)?))
            .collect::<Result<_, OclError>>()?;
        let mut upload = Duration::ZERO;
        let mut params = Vec::new();
        let mut starts = Vec::new();
        for (at, (param, bytes)) in plan.params.iter().zip(args).enumerate() {
            let bytes = bytes?;
            let bytes = bytes.as_ref();
            if let Some(output) = plan.outputs.iter().position(|o| o.source == Some(at)) {
                starts.push((output, bytes.to_vec()));
                params.push(Param::Value(Vec::new()));
                continue;
            }
            params.push(match param {
                ParamPlan::Value(_) => Param::Value(bytes.to_vec()),
                ParamPlan::Buffer(_) => {
                    let mut buffer = self.buffer(bytes.len())?;
                    upload += buffer.write(bytes)?;
                    Param::Buffer(buffer)
                }
            });
        }
        let memory = KernelArgs {
            sizes: plan.sizes.iter().map(bytes_of).collect(),
            params,
            temporary,
            outputs: &outputs,
        };
        let mut launches = Vec::new();
        for planned in &plan.launches {
            let name = plan.kernels.get(planned.kernel).map(|kernel| &kernel.name);
            let handle = built.kernel(name.map_or("", String::as_str))?;
            handle.set(&memory.args(planned)?)?;
            launches.push(BoundLaunch {
                kernel: planned.kernel,
                handle,
            });
        }
        let _memory = memory.into_buffers();
        Ok(BoundPlan {
            launches,
            kernels,
            order: plan.order.clone(),
            outputs,
            starts,
            _memory,
            session: self.clone(),
            upload,
            log: built.log,
        })
    }

    fn kernels(&self, plan: &Plan, built: &Built) -> Result<Vec<BoundKernel>, OclError> {
        let mut kernels = Vec::new();
        for planned in &plan.kernels {
            let info = built.kernel(&planned.name)?.info()?;
            let items: u64 = planned.local.iter().product();
            let local = dimensions(planned.local)?;
            // A kernel that was compiled for this local size fits into the registers, although some
            // drivers report a smaller limit.
            if items > info.work_group && info.demanded != local {
                return Err(OclError::Registers {
                    kernel: planned.name.clone(),
                    local: planned.local,
                    limit: info.work_group,
                    device: self.info().name.clone(),
                });
            }
            kernels.push(BoundKernel {
                info,
                local,
                global: dimensions(planned.global)?,
            });
        }
        Ok(kernels)
    }
}

impl BoundPlan {
    /// Runs all launches once, and returns the time of each kernel in its launches together, which
    /// is 0 for a kernel without work-items.
    pub fn run(&mut self) -> Result<Vec<Duration>, OclError> {
        for (output, bytes) in &self.starts {
            if let Some((_, buffer)) = self.outputs.get_mut(*output) {
                buffer.write(bytes)?;
            }
        }
        let mut times = vec![Duration::ZERO; self.kernels.len()];
        for some in self.order.chunks(MAX_QUEUED) {
            let mut launched = Vec::new();
            for number in some {
                let launch = self.launches.get(*number as usize);
                let Some((launch, kernel)) =
                    launch.and_then(|launch| Some((launch, self.kernels.get(launch.kernel)?)))
                else {
                    continue;
                };
                if !kernel.global.contains(&0) {
                    let event = launch.handle.enqueue(Some(kernel.local), kernel.global)?;
                    launched.push((launch.kernel, event));
                }
            }
            self.session.wait()?;
            for (kernel, event) in launched {
                times[kernel] += event.taken().map_err(OclError::of("timing a kernel"))?;
            }
        }
        Ok(times)
    }

    /// Transfers the result back, and returns the time. `result` has the size of [`Plan::result`].
    pub fn read(&self, result: &mut [u8]) -> Result<Duration, OclError> {
        let mut time = Duration::ZERO;
        for (output, buffer) in &self.outputs {
            let (from, length) = (size(output.offset)?, size(output.size)?);
            let part = result.get_mut(from..from + length);
            let part = part.ok_or(OclError::Memory { bytes: output.size })?;
            time += buffer.read(part)?;
        }
        Ok(time)
    }

    /// Returns the properties of each kernel that the driver reports.
    pub fn kernels(&self) -> Vec<KernelInfo> {
        self.kernels.iter().map(|kernel| kernel.info).collect()
    }
}

#[derive(Debug)]
enum Param {
    Value(Vec<u8>),
    Buffer(Buffer),
}

/// The values of all arguments of the kernels.
struct KernelArgs<'a> {
    sizes: Vec<Vec<u8>>,
    params: Vec<Param>,
    temporary: Vec<Buffer>,
    outputs: &'a [(OutputPlan, Buffer)],
}

impl KernelArgs<'_> {
    fn args(&self, launch: &LaunchPlan) -> Result<Vec<Arg<'_>>, OclError> {
        launch.args.iter().map(|arg| self.arg(arg)).collect()
    }

    fn arg(&self, arg: &ArgPlan) -> Result<Arg<'_>, OclError> {
        let found = match arg {
            ArgPlan::Output(at) => (self.outputs.get(*at)).map(|(_, buffer)| Arg::Buffer(buffer)),
            ArgPlan::Size(at) => self.sizes.get(*at).map(|bytes| Arg::Bytes(bytes)),
            ArgPlan::Param(at) => self.params.get(*at).map(|param| match param {
                Param::Value(bytes) => Arg::Bytes(bytes),
                Param::Buffer(buffer) => Arg::Buffer(buffer),
            }),
            ArgPlan::Buffer(at) => self.temporary.get(*at).map(Arg::Buffer),
            ArgPlan::Local(bytes) => Some(Arg::Local(size(*bytes)?)),
        };
        found.ok_or_else(|| {
            OclError::Misuse("a kernel takes an argument that the program does not have".to_owned())
        })
    }

    fn into_buffers(self) -> Vec<Buffer> {
        let buffer = |param| match param {
            Param::Buffer(buffer) => Some(buffer),
            Param::Value(_) => None,
        };
        let params = self.params.into_iter().filter_map(buffer);
        params.chain(self.temporary).collect()
    }
}

fn size(bytes: u64) -> Result<usize, OclError> {
    usize::try_from(bytes).map_err(|_| OclError::Memory { bytes })
}

fn bytes_of(size: &SizePlan) -> Vec<u8> {
    match size {
        SizePlan::Int(size) => size.to_ne_bytes().to_vec(),
        SizePlan::Long(size) => size.to_ne_bytes().to_vec(),
    }
}

fn dimensions(sizes: [u64; 3]) -> Result<[usize; 3], OclError> {
    let [x, y, z] = sizes.map(size);
    Ok([x?, y?, z?])
}

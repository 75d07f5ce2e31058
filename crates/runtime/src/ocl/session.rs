//! A device that is worked with: buffers, programs and launches, one after the other.
//!
//! Everything that OpenCL asks to be careful about is here, and nowhere else in this crate.
#![allow(unsafe_code)]

use super::OclError;
use super::devices::{self, DeviceInfo};
use opencl3::command_queue::{CL_QUEUE_PROFILING_ENABLE, CommandQueue};
use opencl3::context::Context;
use opencl3::device::Device;
use opencl3::error_codes::{
    CL_INVALID_BUFFER_SIZE, CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_OUT_OF_HOST_MEMORY,
    CL_OUT_OF_RESOURCES, ClError,
};
use opencl3::event::Event;
use opencl3::kernel::{Kernel, set_kernel_arg};
use opencl3::memory::{Buffer as Memory, CL_MEM_READ_WRITE, ClMem};
use opencl3::program::Program;
use opencl3::types::{CL_TRUE, cl_device_id, cl_mem, cl_uint};
use serde::{Deserialize, Serialize};
use std::ffi::c_void;
use std::ptr;
use std::sync::Arc;
use std::time::Duration;

/// The version of the language that programs are compiled for.
pub const OPTIONS: &str = "-cl-std=CL1.2";

/// A device, ready to be worked with. What is asked of it happens in order.
#[derive(Clone, Debug)]
pub struct Session(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    info: DeviceInfo,
    id: Id,
    // The queue goes before the context that it is of.
    queue: CommandQueue,
    context: Context,
}

/// What OpenCL calls the device: a handle that all threads may use.
#[derive(Clone, Copy, Debug)]
struct Id(cl_device_id);

// SAFETY: the functions of OpenCL 1.2 may be called from all threads, except for setting the
// arguments of one kernel; a root device lives as long as the process.
unsafe impl Send for Id {}
// SAFETY: as above.
unsafe impl Sync for Id {}

/// Memory of the device.
#[derive(Debug)]
pub struct Buffer {
    memory: Memory<u8>,
    bytes: usize,
    session: Session,
}

/// A program that is built.
#[derive(Debug)]
pub struct Built {
    program: Program,
    session: Session,
    /// What the compiler said, if it said anything.
    pub log: String,
}

/// A kernel of a program, ready to be given arguments.
#[derive(Debug)]
pub struct KernelHandle {
    kernel: Kernel,
    name: String,
    session: Session,
}

/// What the driver says of a kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelInfo {
    /// Work-items that a work-group of it can have: fewer than the device's where it needs many
    /// registers.
    pub work_group: u64,
    /// The local size that the kernel's text demands, zeros if it demands none.
    pub demanded: [usize; 3],
    /// Work-groups run best with a multiple of so many work-items.
    pub multiple: u64,
    /// Bytes of local memory that it needs.
    pub local_memory: u64,
    /// Bytes of private memory that each work-item needs besides registers.
    pub private_memory: u64,
}

/// An argument of a kernel.
#[derive(Clone, Copy, Debug)]
pub enum Arg<'a> {
    /// Global memory.
    Buffer(&'a Buffer),
    /// A value as C has it in memory.
    Bytes(&'a [u8]),
    /// So many bytes of local memory.
    Local(usize),
}

impl Session {
    /// Opens the device that is meant, see [`devices::choose`].
    pub fn open(wanted: Option<&str>) -> Result<Session, OclError> {
        let all = devices::all()?;
        let infos: Vec<DeviceInfo> = all.iter().map(|(_, info)| info.clone()).collect();
        let info = devices::choose(&infos, wanted)?.clone();
        let found = all.into_iter().find(|(_, known)| *known == info);
        let (id, _) = found.ok_or_else(|| OclError::NoDevice(Vec::new()))?;
        Session::start(id, info)
    }

    fn start(id: cl_device_id, info: DeviceInfo) -> Result<Session, OclError> {
        let _alone = devices::alone();
        let context = Context::from_device(&Device::new(id))
            .map_err(OclError::of(format!("opening {}", info.name)))?;
        // SAFETY: the context is one of this device.
        #[allow(deprecated)]
        let queue = unsafe { CommandQueue::create(&context, id, CL_QUEUE_PROFILING_ENABLE) };
        let queue = queue.map_err(OclError::of(format!("opening {}", info.name)))?;
        Ok(Session(Arc::new(Inner {
            info,
            id: Id(id),
            queue,
            context,
        })))
    }

    /// The device.
    pub fn info(&self) -> &DeviceInfo {
        &self.0.info
    }

    /// Memory of so many bytes, with nothing in it yet.
    pub fn buffer(&self, bytes: usize) -> Result<Buffer, OclError> {
        // OpenCL has no empty buffers.
        let size = bytes.max(1);
        // SAFETY: there is no memory of the host's in it.
        let memory =
            unsafe { Memory::create(&self.0.context, CL_MEM_READ_WRITE, size, ptr::null_mut()) };
        match memory {
            Ok(memory) => Ok(Buffer {
                memory,
                bytes,
                session: self.clone(),
            }),
            Err(error) => Err(out_of_memory(error, size, "making a buffer")),
        }
    }

    /// Compiles a program, for OpenCL C 1.2 if the options say no other version.
    pub fn build(&self, text: &str, options: &str) -> Result<Built, OclError> {
        if text.contains('\0') || options.contains('\0') {
            let message = "a program with a zero byte in it cannot be compiled";
            return Err(OclError::Misuse(message.to_owned()));
        }
        let options = match options.contains("-cl-std") {
            true => options.to_owned(),
            false => format!("{OPTIONS} {options}"),
        };
        let _alone = devices::alone();
        let mut program = Program::create_from_source(&self.0.context, text)
            .map_err(OclError::of("reading the program"))?;
        let built = program.build(&[self.0.id.0], options.trim());
        let log = program.get_build_log(self.0.id.0).unwrap_or_default();
        let log = log.trim_matches(['\0', '\n', ' ']).to_owned();
        match built {
            Ok(()) => Ok(Built {
                program,
                session: self.clone(),
                log,
            }),
            Err(error) if log.is_empty() => Err(OclError::from_code("compiling", error.0)),
            Err(_) => Err(OclError::Build { log }),
        }
    }

    fn finish(&self, what: impl Into<String>) -> Result<(), OclError> {
        self.0.queue.finish().map_err(OclError::of(what))
    }
}

impl Buffer {
    /// How large it is.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Puts these bytes at its beginning, and says how long the transfer took.
    pub fn write(&mut self, bytes: &[u8]) -> Result<Duration, OclError> {
        self.fits(bytes.len())?;
        if bytes.is_empty() {
            return Ok(Duration::ZERO);
        }
        let queue = &self.session.0.queue;
        // SAFETY: the call returns when all has been read from `bytes`, which fit into the buffer.
        let event = unsafe { queue.enqueue_write_buffer(&mut self.memory, CL_TRUE, 0, bytes, &[]) };
        let event =
            event.map_err(|error| out_of_memory(error, self.bytes, "copying to the device"))?;
        taken(&event)
    }

    /// Sets all of its bytes to 0.
    pub fn clear(&mut self) -> Result<(), OclError> {
        // OpenCL 1.2 fills with values up to 128 bytes; what a kernel needs is done in one go.
        let queue = &self.session.0.queue;
        // SAFETY: the pattern is one byte, and the size is that of the buffer.
        let event = unsafe {
            queue.enqueue_fill_buffer(&mut self.memory, &[0u8], 0, self.bytes.max(1), &[])
        };
        event.map_err(|error| out_of_memory(error, self.bytes, "clearing a buffer"))?;
        self.session.finish("clearing a buffer")
    }

    /// Copies its beginning here, and says how long the transfer took.
    pub fn read(&self, bytes: &mut [u8]) -> Result<Duration, OclError> {
        self.fits(bytes.len())?;
        if bytes.is_empty() {
            return Ok(Duration::ZERO);
        }
        let queue = &self.session.0.queue;
        // SAFETY: the call returns when all of `bytes` is written; the buffer has as many.
        let event = unsafe { queue.enqueue_read_buffer(&self.memory, CL_TRUE, 0, bytes, &[]) };
        taken(&event.map_err(OclError::of("copying from the device"))?)
    }

    fn fits(&self, bytes: usize) -> Result<(), OclError> {
        if bytes <= self.bytes {
            return Ok(());
        }
        Err(OclError::Misuse(format!(
            "{bytes} bytes do not fit into a buffer of {}",
            self.bytes
        )))
    }
}

impl Built {
    /// A kernel of the program.
    pub fn kernel(&self, name: &str) -> Result<KernelHandle, OclError> {
        let kernel = Kernel::create(&self.program, name)
            .map_err(OclError::of(format!("finding the kernel `{name}`")))?;
        Ok(KernelHandle {
            kernel,
            name: name.to_owned(),
            session: self.session.clone(),
        })
    }

    /// Launches a kernel with these arguments, waits for its end, and says how long it took.
    /// Without a local size the driver chooses.
    pub fn launch(
        &self,
        kernel: &str,
        args: &[Arg<'_>],
        local: Option<[usize; 3]>,
        global: [usize; 3],
    ) -> Result<Duration, OclError> {
        let kernel = self.kernel(kernel)?;
        kernel.set(args)?;
        kernel.launch(local, global)
    }
}

impl KernelHandle {
    /// What the driver says of it.
    pub fn info(&self) -> Result<KernelInfo, OclError> {
        let device = self.session.0.id.0;
        let what = || OclError::of(format!("asking about the kernel `{}`", self.name));
        let kernel = &self.kernel;
        Ok(KernelInfo {
            work_group: kernel.get_work_group_size(device).map_err(what())? as u64,
            demanded: (kernel.get_compile_work_group_size(device).ok())
                .and_then(|sizes| sizes.try_into().ok())
                .unwrap_or_default(),
            multiple: kernel
                .get_work_group_size_multiple(device)
                .unwrap_or_default() as u64,
            local_memory: kernel.get_local_mem_size(device).unwrap_or_default(),
            private_memory: kernel.get_private_mem_size(device).unwrap_or_default(),
        })
    }

    /// Sets all of its arguments. Buffers must live for as long as it is launched with them.
    pub fn set(&self, args: &[Arg<'_>]) -> Result<(), OclError> {
        let takes = self.kernel.num_args().unwrap_or_default() as usize;
        if takes != args.len() {
            return Err(OclError::Misuse(format!(
                "the kernel `{}` takes {takes} arguments and is given {}",
                self.name,
                args.len()
            )));
        }
        for (at, arg) in (0..).zip(args) {
            self.set_one(at, arg)
                .map_err(|code| OclError::from_code(self.argument(at), code))?;
        }
        Ok(())
    }

    fn argument(&self, at: cl_uint) -> String {
        let name = self.kernel.get_arg_name(at).unwrap_or_default();
        let name = name.trim_end_matches('\0');
        match name {
            "" => format!("argument {at} of the kernel `{}`", self.name),
            name => format!("the argument `{name}` of the kernel `{}`", self.name),
        }
    }

    fn set_one(&self, at: cl_uint, arg: &Arg<'_>) -> Result<(), i32> {
        let kernel = self.kernel.get();
        match arg {
            Arg::Buffer(buffer) => {
                let memory: cl_mem = buffer.memory.get();
                let place = ptr::from_ref(&memory).cast::<c_void>();
                // SAFETY: the handle is read from its place at once; OpenCL checks the rest.
                unsafe { set_kernel_arg(kernel, at, size_of::<cl_mem>(), place) }
            }
            Arg::Bytes(bytes) => {
                let place = bytes.as_ptr().cast::<c_void>();
                // SAFETY: as many bytes are read as there are; OpenCL checks that the parameter
                // has that size.
                unsafe { set_kernel_arg(kernel, at, bytes.len(), place) }
            }
            Arg::Local(bytes) => {
                // SAFETY: nothing is read: local memory has a size only. It is never empty.
                unsafe { set_kernel_arg(kernel, at, (*bytes).max(1), ptr::null()) }
            }
        }
    }

    /// Launches it with the arguments that are set, waits for its end, and says how long it took.
    pub fn launch(
        &self,
        local: Option<[usize; 3]>,
        global: [usize; 3],
    ) -> Result<Duration, OclError> {
        let what = || format!("running the kernel `{}`", self.name);
        let event = self.enqueue(local, global)?;
        self.session.finish(what())?;
        event.taken().map_err(OclError::of(what()))
    }

    /// Launches it and does not wait: [`Launched::taken`] can be asked after [`Session::wait`].
    pub fn enqueue(
        &self,
        local: Option<[usize; 3]>,
        global: [usize; 3],
    ) -> Result<Launched, OclError> {
        let local = local.as_ref().map_or(ptr::null(), |sizes| sizes.as_ptr());
        // SAFETY: sizes have the three dimensions that are said; all arguments are set, or OpenCL
        // refuses; buffers are kept by OpenCL until the kernel ends. That the kernel stays within
        // them is up to who has written or generated it.
        let event = unsafe {
            self.session.0.queue.enqueue_nd_range_kernel(
                self.kernel.get(),
                3,
                ptr::null(),
                global.as_ptr(),
                local,
                &[],
            )
        };
        let event = event.map_err(OclError::of(format!(
            "launching the kernel `{}`",
            self.name
        )))?;
        Ok(Launched(event))
    }
}

impl Session {
    /// Waits until everything is done that was launched.
    pub fn wait(&self) -> Result<(), OclError> {
        self.finish("running the kernels")
    }
}

/// A launch that may not be over yet.
#[derive(Debug)]
pub struct Launched(Event);

impl Launched {
    /// How long it took, by the device's clock; an error while it is not over.
    pub fn taken(&self) -> opencl3::Result<Duration> {
        let (start, end) = (
            self.0.profiling_command_start()?,
            self.0.profiling_command_end()?,
        );
        Ok(Duration::from_nanos(end.saturating_sub(start)))
    }
}

fn taken(event: &Event) -> Result<Duration, OclError> {
    // A transfer can be over before its event says so.
    event.wait().map_err(OclError::of("copying"))?;
    let clock = |tick: opencl3::Result<u64>| tick.map_err(OclError::of("timing a copy"));
    let (start, end) = (
        clock(event.profiling_command_start())?,
        clock(event.profiling_command_end())?,
    );
    Ok(Duration::from_nanos(end.saturating_sub(start)))
}

fn out_of_memory(error: ClError, bytes: usize, what: &str) -> OclError {
    match error.0 {
        CL_MEM_OBJECT_ALLOCATION_FAILURE
        | CL_OUT_OF_RESOURCES
        | CL_OUT_OF_HOST_MEMORY
        | CL_INVALID_BUFFER_SIZE => OclError::Memory {
            bytes: bytes as u64,
        },
        code => OclError::from_code(what, code),
    }
}

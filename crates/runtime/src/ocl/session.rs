//! A session with a device: buffers, programs and launches in order.
//!
//! This is the only module of the crate with unsafe calls of OpenCL.
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

/// The compiler option for OpenCL C 1.2, for which programs are compiled by default.
pub const OPTIONS: &str = "-cl-std=CL1.2";

/// A session with a device. Its commands are executed in order.
#[derive(Clone, Debug)]
pub struct Session(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    info: DeviceInfo,
    id: Id,
    // Declared first, because the queue is dropped before its context.
    queue: CommandQueue,
    context: Context,
}

/// The OpenCL id of the device, which may be used on all threads.
#[derive(Clone, Copy, Debug)]
struct Id(cl_device_id);

// SAFETY: OpenCL 1.2 is thread-safe, except for setting the arguments of one kernel; the id of a
// root device stays valid until the process ends.
unsafe impl Send for Id {}
// SAFETY: as above.
unsafe impl Sync for Id {}

/// A buffer in the memory of the device.
#[derive(Debug)]
pub struct Buffer {
    memory: Memory<u8>,
    bytes: usize,
    session: Session,
}

/// A compiled program.
#[derive(Debug)]
pub struct Built {
    program: Program,
    session: Session,
    /// The output of the driver's compiler, which may be empty.
    pub log: String,
}

/// A kernel of a compiled program.
#[derive(Debug)]
pub struct KernelHandle {
    kernel: Kernel,
    name: String,
    session: Session,
}

/// The properties of a kernel that the driver reports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelInfo {
    /// The largest number of work-items of a work-group of this kernel, which is smaller than the
    /// device's if it needs many registers.
    pub work_group: u64,
    /// The local size that the kernel's text demands; zeros if there is none.
    pub demanded: [usize; 3],
    /// The preferred multiple of the number of work-items of a work-group.
    pub multiple: u64,
    /// The size of the local memory of a work-group in bytes.
    pub local_memory: u64,
    /// The size of the private memory of a work-item in bytes, besides registers.
    pub private_memory: u64,
}

/// An argument of a kernel.
#[derive(Clone, Copy, Debug)]
pub enum Arg<'a> {
    /// A buffer in global memory.
    Buffer(&'a Buffer),
    /// The bytes of a value in the layout of C.
    Bytes(&'a [u8]),
    /// Local memory of this size in bytes.
    Local(usize),
}

impl Session {
    /// Opens the device that [`devices::choose`] selects.
    pub fn open(wanted: Option<&str>) -> Result<Session, OclError> {
        let all = devices::all()?;
        let infos: Vec<DeviceInfo> = all.iter().map(|(_, info)| info.clone()).collect();
        let info = devices::choose(&infos, wanted)?.clone();
        let found = all.into_iter().find(|(_, known)| *known == info);
        let (id, _) = found.ok_or_else(|| OclError::NoDevice(Vec::new()))?;
        Session::start(id, info)
    }

    fn start(id: cl_device_id, info: DeviceInfo) -> Result<Session, OclError> {
        let _alone = devices::lock_drivers();
        let context = Context::from_device(&Device::new(id))
            .map_err(OclError::of(format!("opening {}", info.name)))?;
        // SAFETY: the context belongs to this device.
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

    /// Returns the properties of the device.
    pub fn info(&self) -> &DeviceInfo {
        &self.0.info
    }

    /// Allocates a buffer of this size in bytes, whose content is undefined.
    pub fn buffer(&self, bytes: usize) -> Result<Buffer, OclError> {
        // OpenCL has no empty buffers.
        let size = bytes.max(1);
        // SAFETY: the buffer does not use memory of the host.
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

    /// Compiles a program with these compiler options, for OpenCL C 1.2 if they do not select a
    /// version.
    pub fn build(&self, text: &str, options: &str) -> Result<Built, OclError> {
        if text.contains('\0') || options.contains('\0') {
            let message = "a program with a zero byte in it cannot be compiled";
            return Err(OclError::Misuse(message.to_owned()));
        }
        let options = match options.contains("-cl-std") {
            true => options.to_owned(),
            false => format!("{OPTIONS} {options}"),
        };
        let _alone = devices::lock_drivers();
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
    /// Returns the size of the buffer in bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Writes bytes to the beginning of the buffer, and returns the time of the transfer.
    pub fn write(&mut self, bytes: &[u8]) -> Result<Duration, OclError> {
        self.fits(bytes.len())?;
        if bytes.is_empty() {
            return Ok(Duration::ZERO);
        }
        let queue = &self.session.0.queue;
        // SAFETY: the call blocks until `bytes` is read completely; it fits into the buffer.
        let event = unsafe { queue.enqueue_write_buffer(&mut self.memory, CL_TRUE, 0, bytes, &[]) };
        let event =
            event.map_err(|error| out_of_memory(error, self.bytes, "copying to the device"))?;
        taken(&event)
    }

    /// Sets all bytes of the buffer to 0.
    pub fn clear(&mut self) -> Result<(), OclError> {
        // OpenCL 1.2 can fill with patterns of up to 128 bytes; one byte is enough.
        let queue = &self.session.0.queue;
        // SAFETY: the pattern is one byte, and the size is that of the buffer.
        let event = unsafe {
            queue.enqueue_fill_buffer(&mut self.memory, &[0u8], 0, self.bytes.max(1), &[])
        };
        event.map_err(|error| out_of_memory(error, self.bytes, "clearing a buffer"))?;
        self.session.finish("clearing a buffer")
    }

    /// Reads the beginning of the buffer, and returns the time of the transfer.
    pub fn read(&self, bytes: &mut [u8]) -> Result<Duration, OclError> {
        self.fits(bytes.len())?;
        if bytes.is_empty() {
            return Ok(Duration::ZERO);
        }
        let queue = &self.session.0.queue;
        // SAFETY: the call blocks until `bytes` is written completely; the buffer is as long.
        let event = unsafe { queue.enqueue_read_buffer(&self.memory, CL_TRUE, 0, bytes, &[]) };
        taken(&event.map_err(OclError::of("copying from the device"))?)
    }

    fn fits(&self, bytes: usize) -> Result<(), OclError> {
        if bytes <= self.bytes {
            return Ok(());
        }
        Err(OclError::Misuse(format!(
            "{bytes} bytes do not fit into a buffer of {} bytes",
            self.bytes
        )))
    }
}

impl Built {
    /// Returns a kernel of the program.
    pub fn kernel(&self, name: &str) -> Result<KernelHandle, OclError> {
        let kernel = Kernel::create(&self.program, name)
            .map_err(OclError::of(format!("finding the kernel `{name}`")))?;
        Ok(KernelHandle {
            kernel,
            name: name.to_owned(),
            session: self.session.clone(),
        })
    }

    /// Launches a kernel with these arguments, waits for its end, and returns the execution time.
    /// Without a local size the driver chooses one.
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
    /// Returns the properties of the kernel that the driver reports.
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

    /// Sets all arguments. Buffers must not be dropped before the last launch with them has ended.
    pub fn set(&self, args: &[Arg<'_>]) -> Result<(), OclError> {
        let takes = self.kernel.num_args().unwrap_or_default() as usize;
        if takes != args.len() {
            return Err(OclError::Misuse(format!(
                "the kernel `{}` takes {takes} arguments, found {}",
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
                // SAFETY: the call copies the handle from its address; OpenCL checks the rest.
                unsafe { set_kernel_arg(kernel, at, size_of::<cl_mem>(), place) }
            }
            Arg::Bytes(bytes) => {
                let place = bytes.as_ptr().cast::<c_void>();
                // SAFETY: the call reads as many bytes as there are; OpenCL checks that the
                // parameter has this size.
                unsafe { set_kernel_arg(kernel, at, bytes.len(), place) }
            }
            Arg::Local(bytes) => {
                // SAFETY: the call reads nothing, because local memory only has a size, which is
                // not 0.
                unsafe { set_kernel_arg(kernel, at, (*bytes).max(1), ptr::null()) }
            }
        }
    }

    /// Launches the kernel with its current arguments, waits for its end, and returns the execution
    /// time.
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

    /// Launches the kernel without waiting: [`Launched::taken`] is available after
    /// [`Session::wait`].
    pub fn enqueue(
        &self,
        local: Option<[usize; 3]>,
        global: [usize; 3],
    ) -> Result<Launched, OclError> {
        let local = local.as_ref().map_or(ptr::null(), |sizes| sizes.as_ptr());
        // SAFETY: the sizes have the three dimensions of the call; OpenCL fails if an argument is
        // not set, and keeps buffers until the kernel ends. The author or generator of the kernel
        // guarantees that it stays within them.
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
    /// Waits for the end of all launches.
    pub fn wait(&self) -> Result<(), OclError> {
        self.finish("running the kernels")
    }
}

/// A launch that may still be running.
#[derive(Debug)]
pub struct Launched(Event);

impl Launched {
    /// Returns the execution time by the device's clock; fails if the kernel is still running.
    pub fn taken(&self) -> opencl3::Result<Duration> {
        elapsed(&self.0)
    }
}

fn taken(event: &Event) -> Result<Duration, OclError> {
    // A transfer can be complete before its event is.
    event.wait().map_err(OclError::of("copying"))?;
    elapsed(event).map_err(OclError::of("timing a copy"))
}

fn elapsed(event: &Event) -> opencl3::Result<Duration> {
    let (start, end) = (
        event.profiling_command_start()?,
        event.profiling_command_end()?,
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

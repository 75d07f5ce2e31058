//! Provides generated and hand-written kernels with their arguments.

use std::time::Duration;

use nat::Nat;
use rise::Primitive;
use rise::core::Program;
use runtime::launch::Launch;
use runtime::ocl::{Arg, ArgPlan, Buffer, Built, KernelHandle, Plan, Session};
use runtime::{Bindings, Shape, Value};

use super::formula;
use super::list::{Sizes, Twin, extents};

/// The arguments of a program on a device.
pub struct Arguments {
    /// The sizes by name.
    pub sizes: Sizes,
    /// The sizes in the order of the kernel parameters.
    ints: Vec<(String, [u8; 4])>,
    params: Vec<(String, Param)>,
    result: Shape,
}

enum Param {
    Array(Buffer),
    Value(Vec<u8>),
}

/// Kernels that are launched in sequence.
pub struct Kernels {
    steps: Vec<(KernelHandle, Option<[usize; 3]>, [usize; 3])>,
    output: Buffer,
    /// The buffers that only the kernels use, which must not be dropped before them.
    _own: Vec<Buffer>,
    session: Session,
    result: Shape,
}

type Outcome<T> = Result<T, String>;
/// The local and global sizes of a launch.
type Extents = ([usize; 3], [usize; 3]);

pub fn said(error: impl std::fmt::Display) -> String {
    error.to_string()
}

impl Arguments {
    /// Copies the arguments to the device.
    pub fn new(session: &Session, launch: &Launch) -> Outcome<Arguments> {
        let mut params = Vec::new();
        for (name, value) in launch.params.iter().zip(&launch.args) {
            let param = match value.shape() {
                Shape::Array(..) | Shape::DepArray(_) => {
                    let mut buffer = session.buffer(value.bytes().len()).map_err(said)?;
                    buffer.write(value.bytes()).map_err(said)?;
                    Param::Array(buffer)
                }
                _ => Param::Value(value.bytes().to_vec()),
            };
            params.push((name.to_string(), param));
        }
        let size = |(name, value): &(_, i64)| {
            let name: &syntax::ast::Name = name;
            (name.to_string(), u64::try_from(*value).unwrap_or_default())
        };
        let int = |(name, value): &(syntax::ast::Name, i64)| {
            let value = i32::try_from(*value).unwrap_or(i32::MAX);
            (name.to_string(), value.to_ne_bytes())
        };
        Ok(Arguments {
            sizes: launch.sizes.iter().map(size).collect(),
            ints: launch.sizes.iter().map(int).collect(),
            params,
            result: launch.result.clone().map_err(said)?,
        })
    }

    fn size(&self, at: usize) -> Outcome<Arg<'_>> {
        let (_, bytes) = self.ints.get(at).ok_or("a size that is not there")?;
        Ok(Arg::Bytes(bytes))
    }

    fn param(&self, at: usize) -> Outcome<Arg<'_>> {
        let (_, param) = self.params.get(at).ok_or("a parameter that is not there")?;
        Ok(param.arg())
    }

    fn named<'a>(&'a self, name: &str, output: &'a Buffer) -> Option<Arg<'a>> {
        if name == "output" {
            return Some(Arg::Buffer(output));
        }
        let int = self.ints.iter().find(|(known, _)| known == name);
        let param = self.params.iter().find(|(known, _)| known == name);
        match (int, param) {
            (Some((_, bytes)), _) => Some(Arg::Bytes(bytes)),
            (_, Some((_, param))) => Some(param.arg()),
            (None, None) => None,
        }
    }

    fn output(&self, session: &Session) -> Outcome<Buffer> {
        let bytes = usize::try_from(self.result.size()).map_err(said)?;
        let mut output = session.buffer(bytes).map_err(said)?;
        output.clear().map_err(said)?;
        Ok(output)
    }
}

impl Param {
    fn arg(&self) -> Arg<'_> {
        match self {
            Param::Array(buffer) => Arg::Buffer(buffer),
            Param::Value(bytes) => Arg::Bytes(bytes),
        }
    }
}

/// Returns the local and global sizes of a program's `@opencl` annotation.
pub fn annotated(program: &Program<Primitive>, bindings: &Bindings) -> Outcome<Extents> {
    let number = |size: &Nat| {
        let value = size.eval(&|var| bindings.nats.get(&var).copied(), &|_, _| None);
        usize::try_from(value.ok_or("a size that cannot be computed")?).map_err(said)
    };
    let all = |sizes: &[Option<Nat>; 3]| {
        let mut found = [1; 3];
        for (place, size) in found.iter_mut().zip(sizes) {
            let size = size.as_ref().ok_or("its @opencl leaves sizes open")?;
            *place = number(size)?;
        }
        Ok::<_, String>(found)
    };
    Ok((all(&program.launch.local)?, all(&program.launch.global)?))
}

fn dimensions(sizes: [u64; 3]) -> Outcome<[usize; 3]> {
    let size = |at: usize| usize::try_from(sizes[at]).map_err(said);
    Ok([size(0)?, size(1)?, size(2)?])
}

impl Kernels {
    pub fn generated(
        session: &Session,
        built: &Built,
        plan: &Plan,
        arguments: &Arguments,
    ) -> Outcome<Kernels> {
        let output = arguments.output(session)?;
        let buffer = |bytes: &u64| {
            let bytes = usize::try_from(*bytes).map_err(said)?;
            session.buffer(bytes).map_err(said)
        };
        let own = plan
            .buffers
            .iter()
            .map(buffer)
            .collect::<Outcome<Vec<_>>>()?;
        let mut steps = Vec::new();
        for number in &plan.order {
            let launch = &plan.launches[*number as usize];
            let kernel = &plan.kernels[launch.kernel];
            let arg = |arg: &ArgPlan| match arg {
                ArgPlan::Output(_) => Ok(Arg::Buffer(&output)),
                ArgPlan::Size(at) => arguments.size(*at),
                ArgPlan::Param(at) => arguments.param(*at),
                ArgPlan::Buffer(at) => {
                    let buffer = own.get(*at).ok_or("a buffer that is not there")?;
                    Ok(Arg::Buffer(buffer))
                }
                ArgPlan::Local(bytes) => usize::try_from(*bytes).map(Arg::Local).map_err(said),
            };
            let args = launch.args.iter().map(arg).collect::<Outcome<Vec<_>>>()?;
            let handle = built.kernel(&kernel.name).map_err(said)?;
            handle.set(&args).map_err(said)?;
            steps.push((
                handle,
                Some(dimensions(kernel.local)?),
                dimensions(kernel.global)?,
            ));
        }
        Ok(Kernels {
            steps,
            output,
            _own: own,
            session: session.clone(),
            result: arguments.result.clone(),
        })
    }

    pub fn by_hand(
        session: &Session,
        built: &Built,
        twin: &Twin,
        like: Outcome<Extents>,
        arguments: &Arguments,
    ) -> Outcome<Kernels> {
        let output = arguments.output(session)?;
        let mut own: Vec<(String, Buffer)> = Vec::new();
        for named in twin
            .steps
            .iter()
            .flat_map(|step| step.args.iter().flatten())
        {
            if let Some((name, bytes)) = named.split_once(':')
                && own.iter().all(|(known, _)| known != name)
            {
                let bytes = formula::count(bytes, &arguments.sizes)?;
                let bytes = usize::try_from(bytes).map_err(said)?;
                own.push((name.to_owned(), session.buffer(bytes).map_err(said)?));
            }
        }
        let mut steps = Vec::new();
        for step in &twin.steps {
            let local = match &step.local {
                Some(formulas) => extents(formulas, &arguments.sizes)?,
                None => like.clone()?.0,
            };
            let global = match &step.global {
                Some(formulas) => extents(formulas, &arguments.sizes)?,
                None => like.clone()?.1,
            };
            let all: Vec<String> = match &step.args {
                Some(args) => args.clone(),
                None => arguments.all_names(),
            };
            let arg = |name: &String| {
                let name = name.split_once(':').map_or(name.as_str(), |(name, _)| name);
                let buffer = own.iter().find(|(known, _)| known == name);
                let known = arguments.named(name, &output);
                let found = buffer.map(|(_, buffer)| Arg::Buffer(buffer)).or(known);
                found.ok_or_else(|| format!("there is no argument `{name}`"))
            };
            let args = all.iter().map(arg).collect::<Outcome<Vec<_>>>()?;
            let handle = built.kernel(&step.kernel).map_err(said)?;
            handle.set(&args).map_err(said)?;
            steps.push((handle, Some(local), global));
        }
        Ok(Kernels {
            steps,
            output,
            _own: own.into_iter().map(|(_, buffer)| buffer).collect(),
            session: session.clone(),
            result: arguments.result.clone(),
        })
    }

    /// Launches the kernels, waits for their end, and returns the sum of their times.
    pub fn run(&self) -> Outcome<Duration> {
        let launched = |(kernel, local, global): &(KernelHandle, _, _)| {
            kernel.enqueue(*local, *global).map_err(said)
        };
        let all = self
            .steps
            .iter()
            .map(launched)
            .collect::<Outcome<Vec<_>>>()?;
        self.session.wait().map_err(said)?;
        all.iter().map(|one| one.taken().map_err(said)).sum()
    }

    /// Returns the output of the kernels.
    pub fn result(&self) -> Outcome<Value> {
        let mut value = Value::zeros(self.result.clone()).map_err(said)?;
        self.output.read(value.bytes_mut()).map_err(said)?;
        Ok(value)
    }
}

impl Arguments {
    fn all_names(&self) -> Vec<String> {
        let sizes = self.ints.iter().map(|(name, _)| name);
        let params = self.params.iter().map(|(name, _)| name);
        let names = sizes.chain(params).cloned();
        std::iter::once("output".to_owned()).chain(names).collect()
    }
}

//! Interprets a definition of a file with generated arguments, and prints the time:
//! `cargo run --release -p runtime --example interp -- examples/linear-algebra/mm.rise matMul n=512 k=512 m=512`

use std::error::Error;
use std::time::Instant;

use rise::core::program_of;
use runtime::generate::Fill;
use runtime::interp::{self, Options};
use runtime::value_text::Length;
use runtime::{Bindings, Shape, Value};

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let file = words.next().ok_or("which file?")?;
    let name = words.next().ok_or("which definition?")?;
    let text = std::fs::read_to_string(file)?;
    let program = program_of(&text, &name)?;
    let signature = program.signature();
    let mut bindings = Bindings {
        names: rise::Names(program.names.clone().into()),
        ..Bindings::default()
    };
    for word in words {
        let (name, value) = word.split_once('=').ok_or("sizes are written n=4")?;
        let var = signature.sizes().find(|var| program.name_of(*var) == name);
        bindings
            .nats
            .insert(var.ok_or("no such size")?, value.parse()?);
    }
    let mut args: Vec<Value> = Vec::new();
    for param in signature.values() {
        let shape = Shape::of(&param.ty, &bindings)?;
        args.push(Fill::Random(1 + args.len() as u64).value(shape)?);
    }
    let start = Instant::now();
    let outcome = interp::run(&program, &bindings, &args, &Options::default())?;
    let time = start.elapsed();
    let value = outcome.value.text(Length::Full);
    println!("{}", value.get(..200).unwrap_or(&value));
    println!("{} in {time:?}", outcome.value.shape());
    Ok(())
}

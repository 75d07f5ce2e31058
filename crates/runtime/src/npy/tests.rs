use super::*;
use crate::literal::Literal;
use crate::shape::Rows;
use crate::value::Value;
use crate::value_text::Length;
use std::fs;
use std::sync::Arc;
use syntax::ast::ScalarType as S;

const F32: Shape = Shape::Scalar(S::F32);

fn array(n: u64, element: Shape) -> Shape {
    Shape::Array(n, Arc::new(element))
}

fn pair(first: Shape, second: Shape) -> Shape {
    Shape::Pair(Arc::new(first), Arc::new(second))
}

fn vector(n: u32, scalar: S) -> Shape {
    Shape::Vector(n, Leaf::Scalar(scalar))
}

/// Returns a file of version 1 with this header.
fn file(header: &str, data: &[u8]) -> Vec<u8> {
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(data);
    bytes
}

fn load(bytes: &[u8], shape: Shape) -> Result<Value, NpyError> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("x.npy");
    fs::write(&path, bytes)?;
    Reader::open(&path)?.read(shape)
}

fn shown(bytes: &[u8], shape: Shape) -> String {
    match load(bytes, shape) {
        Ok(value) => value.text(Length::Full),
        Err(error) => error.to_string(),
    }
}

fn header(descr: &str, axes: &str) -> String {
    format!("{{'descr': {descr}, 'fortran_order': False, 'shape': {axes}, }}\n")
}

fn floats(all: &[f32]) -> Vec<u8> {
    all.iter().flat_map(|value| value.to_le_bytes()).collect()
}

#[test]
fn what_is_written_reads_back() {
    let rows = |lengths: &[u64]| {
        let shapes = lengths.iter().map(|n| array(*n, F32)).collect();
        Shape::DepArray(Arc::new(Rows::new(shapes)))
    };
    let cases = [
        (F32, "1.5"),
        (array(3, Shape::Scalar(S::Bool)), "[true, false, true]"),
        (
            array(2, array(2, Shape::Scalar(S::F16))),
            "[[1.0, 2.0],\n [3.0, -inf]]",
        ),
        (
            array(2, pair(Shape::Scalar(S::U8), Shape::Scalar(S::F64))),
            "[(1, 2.5), (255, NaN)]",
        ),
        (
            pair(array(2, F32), pair(Shape::Index(5), vector(2, S::I16))),
            "([1.0, 2.0], (4, <-1, 7>))",
        ),
        (array(2, vector(4, S::I64)), "[<1, 2, 3, 4>, <5, 6, 7, -8>]"),
        (rows(&[1, 0, 2]), "[[1.0],\n [],\n [2.0, 3.0]]"),
        (rows(&[]), "[]"),
        (array(0, array(3, F32)), "[]"),
        (Shape::Scalar(S::NatType), "7"),
    ];
    for (shape, text) in cases {
        let value = Literal::parse(text).and_then(|literal| literal.value(shape.clone()));
        let Ok(value) = value else {
            panic!("{text} is a value");
        };
        let mut bytes = Vec::new();
        assert!(write(&value, &mut bytes).is_ok(), "{text}");
        assert_eq!((bytes.len() as u64 - data_size(&shape)) % 64, 0);
        assert_eq!(shown(&bytes, shape), text);
    }
}

fn data_size(shape: &Shape) -> u64 {
    let mut size = 0;
    let summed: Result<(), NpyError> = shape.for_each_leaf(&mut |_, leaf| {
        size += leaf.size();
        Ok(())
    });
    assert!(summed.is_ok());
    size
}

#[test]
fn headers_are_as_numpy_writes_them() {
    let shape = array(2, pair(Shape::Scalar(S::U8), array(3, vector(2, S::F32))));
    let value = Value::zeros(shape);
    let mut bytes = Vec::new();
    assert!(value.is_ok_and(|value| write(&value, &mut bytes).is_ok()));
    let text = String::from_utf8_lossy(&bytes[10..]);
    let expected = "{'descr': [('_1', '|u1'), ('_2', '<f4', (3, 2))], 'fortran_order': False, 'shape': (2,), }";
    assert!(text.starts_with(expected), "{text}");
}

#[test]
fn both_orders_of_axes_are_read() {
    let data = floats(&[1., 2., 3., 4., 5., 6.]);
    let c = header("'<f4'", "(2, 3)");
    let shape = array(2, array(3, F32));
    assert_eq!(
        shown(&file(&c, &data), shape.clone()),
        "[[1.0, 2.0, 3.0],\n [4.0, 5.0, 6.0]]"
    );
    let fortran = c.replace("False", "True");
    assert_eq!(
        shown(&file(&fortran, &data), shape),
        "[[1.0, 3.0, 5.0],\n [2.0, 4.0, 6.0]]"
    );
}

#[test]
fn indices_and_sizes_are_any_integers_in_range() {
    let bytes = file(&header("'<u2'", "(2,)"), &[3, 0, 1, 0]);
    assert_eq!(shown(&bytes, array(2, Shape::Index(4))), "[3, 1]");
    assert_eq!(shown(&bytes, array(2, Shape::Scalar(S::NatType))), "[3, 1]");
    assert_eq!(
        shown(&bytes, array(2, Shape::Index(2))),
        "element 0 is 3, which is not a value of type `Idx[2]`"
    );
    let negative = file(&header("'|i1'", "(1,)"), &[0xff]);
    assert_eq!(
        shown(&negative, array(1, Shape::Scalar(S::NatType))),
        "element 0 is -1, which is not a value of type `natType`"
    );
}

#[test]
fn elements_of_tuples_that_are_out_of_range_are_named() {
    let index = || Shape::Index(3);
    let pairs = file(
        &header("[('_1', '|u1'), ('_2', '|u1')]", "(2,)"),
        &[0, 1, 2, 3],
    );
    assert_eq!(
        shown(&pairs, array(2, pair(index(), index()))),
        "`_2` of element 1 is 3, which is not a value of type `Idx[3]`"
    );
    let descr = "[('_1', '|u1'), ('_2', [('_1', '|u1'), ('_2', '|u1', (2,))])]";
    let shape = || array(2, pair(index(), pair(index(), array(2, index()))));
    let of = |data: &[u8]| shown(&file(&header(descr, "(2,)"), data), shape());
    assert_eq!(
        of(&[0, 0, 0, 0, 0, 0, 0, 7]),
        "element 1 of `_2` of `_2` of element 1 is 7, which is not a value of type `Idx[3]`"
    );
    assert_eq!(
        of(&[0, 9, 0, 0, 0, 0, 0, 0]),
        "`_1` of `_2` of element 0 is 9, which is not a value of type `Idx[3]`"
    );
}

#[test]
fn records_with_padding_are_read() {
    let descr = "[('_1', '|u1'), ('', '|V3'), ('_2', '<f4')]";
    let mut data = vec![7, 0, 0, 0];
    data.extend(floats(&[0.5]));
    assert_eq!(
        shown(
            &file(&header(descr, "()"), &data),
            pair(Shape::Scalar(S::U8), F32)
        ),
        "(7, 0.5)"
    );
}

#[test]
fn other_types_are_refused() {
    let of =
        |descr: &str, shape: Shape| shown(&file(&header(descr, "(1,)"), &[0; 8]), array(1, shape));
    assert_eq!(
        of("'<f8'", F32),
        "the elements have type `<f8`; `f32` is `<f4` in a file; in NumPy, `.astype('<f4')` converts them"
    );
    assert_eq!(
        of("'>f4'", F32),
        "the elements have type `>f4`, with the bytes in the other order; save them as `<f4`"
    );
    assert_eq!(
        of("'|O'", F32),
        "the elements have type `|O`, which RISE does not have"
    );
    assert_eq!(
        of("'<U3'", F32),
        "the elements have type `<U3`, which RISE does not have"
    );
    assert_eq!(
        of("'<f4'", Shape::Index(3)),
        "the elements have type `<f4`; `Idx[3]` is `<i4` in a file; in NumPy, `.astype('<i4')` converts them"
    );
    assert_eq!(
        of("[('x', '<f4'), ('y', '<f4')]", pair(F32, F32)),
        "the elements have type `[('x', '<f4'), ('y', '<f4')]`; `(f32, f32)` is `[('_1', '<f4'), ('_2', '<f4')]` in a file"
    );
    assert_eq!(
        shown(&file(&header("'<f4'", "(2, 2)"), &[0; 16]), array(4, F32)),
        "the file has shape (2, 2), and `4.f32` is (4,) in a file"
    );
}

#[test]
fn hostile_files_are_refused() {
    let shape = || array(4, F32);
    let good = file(&header("'<f4'", "(4,)"), &floats(&[1., 2., 3., 4.]));
    assert_eq!(shown(&good, shape()), "[1.0, 2.0, 3.0, 4.0]");
    for length in 0..good.len() {
        assert!(load(&good[..length], shape()).is_err(), "{length}");
    }
    let longer: Vec<u8> = good.iter().copied().chain([0]).collect();
    assert_eq!(
        shown(&longer, shape()),
        "the file has 17 bytes of elements where its header announces 16"
    );
    let huge = file(&header("'<f4'", "(9223372036854775807, 4)"), &[]);
    let wanted = array(9_223_372_036_854_775_807, array(4, F32));
    assert_eq!(
        shown(&huge, wanted),
        "the header announces more elements than can be counted"
    );
    let many = file(&header("'<f4'", "(1000000000000,)"), &[0; 8]);
    assert_eq!(
        shown(&many, array(1_000_000_000_000, F32)),
        "the file has 8 bytes of elements where its header announces 4000000000000"
    );
    let overflow = file(&header("'<f4'", "(99999999999999999999999,)"), &[]);
    assert_eq!(
        shown(&overflow, shape()),
        "the header of the file is broken: the header is not a Python dictionary"
    );
    let deep = format!("{}{}", "[".repeat(5000), "]".repeat(5000));
    assert!(load(&file(&deep, &[]), shape()).is_err());
    let mut long = b"\x93NUMPY\x02\x00\xff\xff\xff\xff".to_vec();
    long.extend([b' '; 100]);
    assert_eq!(
        shown(&long, shape()),
        "the header of the file is broken: the header is longer than a megabyte"
    );
    assert_eq!(
        shown(b"PK\x03\x04 a zip file", shape()),
        "this is not a .npy file"
    );
    assert_eq!(
        shown(b"\x93NUMPY\x09\x00", shape()),
        "this is version 9.0 of the .npy format; 1.0, 2.0 and 3.0 are known"
    );
}

proptest::proptest! {
    /// Tests that no file causes a panic.
    #[test]
    fn any_file_is_survived(header in ".{0,80}", data in proptest::collection::vec(0u8.., 0..40)) {
        let _ = load(&file(&header, &data), array(3, pair(F32, Shape::Index(2))));
    }
}

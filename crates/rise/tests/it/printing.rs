//! Tests that printed types read back as the same type.

use crate::definitions::{Defs, check, library};

#[test]
fn printed_types_read_back() {
    let mut seen = 0;
    for (name, text) in rise::STD {
        let mut defs = library();
        for checked in check(text, &mut defs) {
            let scheme = &checked.inference.scheme;
            let printed = rise::print::type_text(&scheme.ty, &scheme.names);
            let again = check(&format!("def again : {printed} = _"), &mut Defs::default());
            let read = &again[0].inference.scheme;
            assert_eq!(scheme.ty, read.ty, "{name}: {} : {printed}", checked.name);
            seen += 1;
        }
    }
    assert!(seen > 30, "the library has definitions");
}

#[test]
fn primitives_read_back() {
    for &primitive in rise::Primitive::ALL {
        let scheme = rise::library_scheme(primitive);
        let printed = rise::print::type_text(&scheme.ty, &scheme.names);
        let again = check(&format!("def again : {printed} = _"), &mut Defs::default());
        assert_eq!(
            scheme.ty,
            again[0].inference.scheme.ty,
            "{}",
            primitive.name()
        );
    }
}

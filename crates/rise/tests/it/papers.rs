//! Snapshots of the types of the papers' programs.

use crate::definitions::report;
use expect_test::expect;

#[test]
fn matrix_vector_product_as_published() {
    expect![[r#"
        mv : (n: Nat) -> (m: Nat) -> n.m.f32 -> m.f32 -> n.f32
    "#]]
    .assert_eq(&report(include_str!("../../../../examples/papers/mv.rise")));
}

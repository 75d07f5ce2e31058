//! Offers the fixes that come with a diagnostic.
//!
//! ```rise
//! def f = fun(xs: 4.4.f32 => xs |> transpos$0)
//! ```
//! *Replace with `transpose`*
//! ```rise
//! def f = fun(xs: 4.4.f32 => xs |> transpose)
//! ```

use super::{Assist, AssistContext, AssistEffect, AssistHandler};
use crate::rewrites::AssistKind;
use crate::{FileDiagnostic, FileFix};

pub(super) const HANDLER: AssistHandler = AssistHandler {
    name: "diagnostic_fix",
    kinds: &[AssistKind::QuickFix],
    offer,
};

fn offer(cx: &AssistContext<'_>) -> Vec<Assist> {
    let found = cx.diagnostics().iter();
    found
        .flat_map(|(_, found)| fixes(found, found.fixes.clone()))
        .collect()
}

/// Returns code actions for fixes of a diagnostic.
pub(super) fn fixes(
    diagnostic: &FileDiagnostic,
    fixes: Vec<FileFix>,
) -> impl Iterator<Item = Assist> {
    let fixes = fixes.into_iter().enumerate();
    fixes.map(move |(number, fix)| {
        let FileDiagnostic { code, span, .. } = diagnostic;
        let id = format!("{}@{}..{}#{number}", code.as_str(), span.start, span.end);
        let effect = match fix.disabled {
            Some(reason) => AssistEffect::Disabled(reason),
            None => AssistEffect::edit(move |_| Ok(fix.edits.clone())),
        };
        Assist {
            preferred: fix.preferred,
            diagnostic: Some(diagnostic.clone()),
            ..Assist::new(id, AssistKind::QuickFix, fix.title, effect)
        }
    })
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::FilePosition;
    use crate::assists::examples::request;
    use crate::assists::{AssistRequest, assists};
    use crate::fixture::Fixture;

    #[test]
    fn fixes_are_offered_where_the_mistake_is() {
        let fixture =
            Fixture::new("def f = fun(xs: 4.f32 => xs |> $0transpos$0 |> join)\n$0def g = 1\n");
        let fixes = |at: usize| offered(&fixture, fixture.cursors[at]);
        let shown: Vec<String> = fixes(1).iter().map(|fix| shown(&fixture, fix)).collect();
        expect![[r#"
            [
                "Replace with `transpose`\ndef f = fun(xs: 4.f32 => xs |> transpose |> join)\ndef g = 1\n",
            ]
        "#]].assert_debug_eq(&shown);
        assert_eq!(fixes(2).len(), 0);
    }

    /// Returns the fixes at a cursor.
    fn offered(fixture: &Fixture, at: FilePosition) -> Vec<Assist> {
        let only = Some(HANDLER.kinds);
        assists(
            &fixture.db,
            AssistRequest {
                only,
                ..request(at)
            },
        )
    }

    fn shown(fixture: &Fixture, fix: &Assist) -> String {
        match fix.edits(&fixture.db) {
            Ok(made) => format!("{}\n{}", fix.title, fixture.applied_all(&made.edits)),
            Err(reason) => format!("{} -- not here: {reason}\n", fix.title),
        }
    }

    /// Applies each fix that is offered at the cursor and compares the resulting texts.
    fn fixed(text: &str, expected: Expect) {
        let fixture = Fixture::new(text);
        let fixes = offered(&fixture, fixture.cursors[0]);
        let all: Vec<String> = fixes.iter().map(|fix| shown(&fixture, fix)).collect();
        expected.assert_eq(&all.concat());
    }

    #[test]
    fn explicit_sizes_that_a_call_leaves_out_are_written() {
        const DOT: &str = "def dot = depFun(n: Nat => fun((xs: n.f32, ys: n.f32) => zip(xs)(ys) |> map(fun(p => p._1 * p._2)) |> reduce(add)(0.0f)))\n";
        for (call, expected) in [
            (
                "def f = fun(xs: 4.f32, ys: 4.f32 => dot(x$0s)(ys))\n",
                expect![[r#"
                Write `dot(4)`
                def dot = depFun(n: Nat => fun((xs: n.f32, ys: n.f32) => zip(xs)(ys) |> map(fun(p => p._1 * p._2)) |> reduce(add)(0.0f)))
                def f = fun(xs: 4.f32, ys: 4.f32 => dot(4)(xs)(ys))
            "#]],
            ),
            (
                "def f = depFun(m: Nat => fun(xs: m.f32, ys: m.f32 => dot(x$0s, ys)))\n",
                expect![[r#"
                    Write `dot(m)`
                    def dot = depFun(n: Nat => fun((xs: n.f32, ys: n.f32) => zip(xs)(ys) |> map(fun(p => p._1 * p._2)) |> reduce(add)(0.0f)))
                    def f = depFun(m: Nat => fun(xs: m.f32, ys: m.f32 => dot(m)(xs, ys)))
                "#]],
            ),
            (
                "def f = depFun(m: Nat => fun(xs: m.f32, ys: m.f32 => xs |> map(fun(x => x)) |> dot(y$0s)))\n",
                expect![[r#"
                    Write `dot(m)`
                    def dot = depFun(n: Nat => fun((xs: n.f32, ys: n.f32) => zip(xs)(ys) |> map(fun(p => p._1 * p._2)) |> reduce(add)(0.0f)))
                    def f = depFun(m: Nat => fun(xs: m.f32, ys: m.f32 => xs |> map(fun(x => x)) |> dot(m)(ys)))
                "#]],
            ),
        ] {
            fixed(&format!("{DOT}{call}"), expected);
        }
    }

    #[test]
    fn names_of_types_are_replaced_and_sizes_bound() {
        fixed(
            "def f = fun(xs: 8.floa$0t => xs)\n",
            expect![[r#"
                Replace with `f32`
                def f = fun(xs: 8.f32 => xs)
            "#]],
        );
        fixed(
            "def f = fun(xs: (n$0 + 1).f32 => xs |> map(fun(x => x)))\n",
            expect![[r#"
                Bind `n` with `depFun`
                def f = depFun(n: Nat => fun(xs: (n + 1).f32 => xs |> map(fun(x => x))))
            "#]],
        );
        // The initial value is missing.
        fixed(
            "def f = depFun(n: Nat => fun(xs: n.f32 => xs |> scanSeq(fun(acc, x => acc +$0 x))))\n",
            expect![""],
        );
        // A type annotation binds its own sizes, and `t` is no size.
        fixed("def f : n$0.f32 -> f32 = fun(xs => 1.0f)\n", expect![""]);
        fixed(
            "def f = fun(x: t$0 => x)\n",
            expect![[r#"
            Bind `t` with `depFun`
            def f = depFun(t: DataType => fun(x: t => x))
        "#]],
        );
    }

    #[test]
    fn words_of_annotations_are_replaced() {
        let fixes = [
            "@tag$0et(c)\ndef f = 1\n",
            "@target(opn$0mp)\ndef f = 1\n",
            "@opencl(gobal$0 = [4])\ndef f = 1\n",
            "@run(rosw$0 = 4)\ndef f = depFun(rows: Nat => fun(xs: rows.f32 => xs))\n",
            "@inli$0ne\ndef f = 1\n",
        ]
        .map(|text| {
            let fixture = Fixture::new(text);
            let fixes = offered(&fixture, fixture.cursors[0]);
            let titles = fixes.into_iter().map(|fix| fix.title);
            titles.collect::<Vec<_>>().join(", ")
        });
        expect![[r#"
            Replace with `target`
            Replace with `openmp`
            Replace with `global`
            Replace with `rows`
        "#]]
        .assert_eq(&fixes.join("\n"));
    }

    #[test]
    fn the_only_strategy_of_a_file_is_named() {
        let text = |strategies: &str| {
            format!(
                "//- /main.rise\n@strategy(\"s$0.elevate\")\ndef f = 1\n//- /s.elevate\n{strategies}rule r = map |-> mapSeq\n"
            )
        };
        fixed(
            &text("strategy only = topDown(r)\n"),
            expect![[r#"
            Name its strategy `only`
            //- main.rise
            @strategy("s.elevate", only)
            def f = 1
        "#]],
        );
        fixed(
            &text("strategy one = topDown(r)\nstrategy two = topDown(r)\n"),
            expect![[""]],
        );
    }

    #[test]
    fn an_import_without_quotes_is_mended() {
        fixed(
            "//- /main.rise\nimport a$0.rise\ndef f = one\n//- /a.rise\ndef one = 1\n",
            expect![[r#"
                Write `"a.rise"`
                //- main.rise
                import "a.rise"
                def f = one
            "#]],
        );
    }

    #[test]
    fn functions_of_c_are_declared() {
        fixed(
            "/// Roots.\ndef f = fun(xs: 4.f32 => xs |> map(fun(x => lg$0amma(x))))\n",
            expect![[r#"
                Declare `foreign def lgamma(x: f32): f32`
                foreign def lgamma(x: f32): f32

                /// Roots.
                def f = fun(xs: 4.f32 => xs |> map(fun(x => lgamma(x))))
            "#]],
        );
    }

    #[test]
    fn arguments_and_parameters_change_places() {
        fixed(
            "def f = depFun(n: Nat => fun(xs: n.f32 => map(x$0s)(fun(x => x + 1.0f /* one */))))\n",
            expect![[r#"
                Swap the arguments
                def f = depFun(n: Nat => fun(xs: n.f32 => map(fun(x => x + 1.0f /* one */))(xs)))
            "#]],
        );
        fixed(
            "// é\ndef f = depFun(n: Nat => fun(xs: n.f32 => reduceSeq(x$0s, add, 0.0f)))\n",
            expect![[r#"
                Put the arguments in order
                // é
                def f = depFun(n: Nat => fun(xs: n.f32 => reduceSeq(add, 0.0f, xs)))
            "#]],
        );
        fixed(
            "def f = depFun(n: Nat => fun(xs: n.u8 => xs |> scanSeq(fun(a$0cc: f32, x: u8 => acc + cast(x)))(0.0f)))\n",
            expect![[r#"
                Swap the parameters
                def f = depFun(n: Nat => fun(xs: n.u8 => xs |> scanSeq(fun(x: u8, acc: f32 => acc + cast(x)))(0.0f)))
            "#]],
        );
        fixed(
            "def f = depFun(n: Nat => fun(xs: n.f32 => 2.0f * x$0s))\n",
            expect![[r#"
                Apply the operator to each element with `map`
                def f = depFun(n: Nat => fun(xs: n.f32 => xs |> map(fun(x => 2.0f * x))))
            "#]],
        );
    }

    #[test]
    fn conditionals_of_other_languages_become_select() {
        fixed(
            "def f = fun(x: f32 => i$0f x < 0.0f then 0.0f else x)\n",
            expect![[r#"
                Write `select`
                def f = fun(x: f32 => select(x < 0.0f)(0.0f)(x))
            "#]],
        );
        fixed(
            "def f = fun(x: f32 => i$0f (x < 0.0f) { 0.0f } else { x + 1.0f })\n",
            expect![[r#"
                Write `select`
                def f = fun(x: f32 => select(x < 0.0f)(0.0f)(x + 1.0f))
            "#]],
        );
    }

    #[test]
    fn an_index_in_brackets_becomes_idx() {
        fixed(
            "def f = fun(xs: 4.f32 => xs$0[0] + 1.0f)\n",
            expect![[r#"
            Write `idx`
            def f = fun(xs: 4.f32 => idx(0)(xs) + 1.0f)
        "#]],
        );
    }

    #[test]
    fn names_of_other_files_are_imported() {
        fixed(
            "//- /main.rise\nimport \"a.rise\"\n\ndef f = fun(xs: 4.f32 => dou$0bled(xs))\n\
             //- /a.rise\ndef x = 1\n//- /lib/b.rise\ndef doubled = fun(xs: 4.f32 => xs)\n",
            expect![[r#"
                Import `doubled` from "lib/b.rise"
                //- main.rise
                import "a.rise"
                import "lib/b.rise"

                def f = fun(xs: 4.f32 => doubled(xs))
            "#]],
        );
    }

    #[test]
    fn names_are_not_imported_in_a_circle() {
        fixed(
            "//- /main.rise\ndef f = fun(xs: 4.f32 => dou$0bled(xs))\n\
             //- /a.rise\nimport \"b.rise\"\ndef doubled = fun(xs: 4.f32 => xs)\n\
             //- /b.rise\nimport \"main.rise\"\n",
            expect![[""]],
        );
    }

    #[test]
    fn a_parameter_gets_the_type_that_its_use_expects() {
        fixed(
            "def mv = depFun((n: Nat, m: Nat) => fun((a: n.m.f32, x: n.f32) => a |> map(fun(row => zip(row)($0x) |> map(fun(p => p._1 * p._2)) |> reduce(add)(0.0f)))))\n",
            expect![[r#"
                Change `x` to `m.f32`
                def mv = depFun((n: Nat, m: Nat) => fun((a: n.m.f32, x: m.f32) => a |> map(fun(row => zip(row)(x) |> map(fun(p => p._1 * p._2)) |> reduce(add)(0.0f)))))
            "#]],
        );
    }

    #[test]
    fn a_type_that_reads_the_same_is_no_fix() {
        fixed(
            "def f = depFun(h: Nat => fun(xs: h.f32 => depFun(h: Nat => fun(y: h.f32 => zip(xs)($0y)))))\n",
            expect![[""]],
        );
    }

    #[test]
    fn a_view_that_is_read_is_stored_and_its_parts_are_copied() {
        fixed(
            "@target(c)\ndef f = fun(a: 4.f32, b: 4.f32 => con$0cat(a)(b) |> mapSeq(fun(x => x + 1.0f)))\n",
            expect![[r#"
                Store in memory: `toMem`, with `mapSeq(id)` before it
                @target(c)
                def f = fun(a: 4.f32, b: 4.f32 => concat(a |> mapSeq(id))(b |> mapSeq(id)) |> toMem |> mapSeq(fun(x => x + 1.0f)))
            "#]],
        );
    }
}

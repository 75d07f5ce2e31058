//! Tests that the texts of the papers, and further ones, are parsed to the right trees without
//! errors.

mod rendering;

use expect_test::{Expect, expect};
use rendering::render;
use rendering::sexpr_elevate::dump;
use syntax::elevate::{parse, split};

const LISTING: &str = include_str!("programs/elevate/mv.elevate");
const EXAMPLES: &str = include_str!("programs/elevate/examples.elevate");
const SCHEDULES: &str = include_str!("programs/elevate/schedules.elevate");

fn trees(text: &str) -> String {
    let mut out = String::new();
    for span in split(text) {
        let item = &text[std::ops::Range::from(span)];
        let parsed = parse(item);
        out.push_str(&dump(&parsed.item));
        out.push('\n');
        for diagnostic in &parsed.diagnostics {
            out.push_str(&render(item, diagnostic));
        }
    }
    out
}

fn check(text: &str, expect: Expect) {
    expect.assert_eq(&trees(text));
}

#[test]
fn the_listing_of_the_paper() {
    check(
        LISTING,
        expect![[r#"
        (main (binary ; (binary ; (binary ; (binary ; (binary @ splitJoinMap (call outermost isMap)) (binary @ toMapWorkGroup (call outermost isMap))) (binary @ toMapLocal (call outermost isMap))) (binary @ fuseReduceMap (call every isReduce))) (binary @ toReduceSeq (call every isReduce))))
    "#]],
    );
}

#[test]
fn the_worked_examples() {
    check(
        EXAMPLES,
        expect![[r#"
        (import "mv.elevate")
        (language rise)
        (traversal functionFirst)
        (tune s Nat - - -)
        (rule splitJoinMap ((n Nat s)) (alt (apply map f) (binary >> (binary >> (apply split n) (apply map (apply map f))) join) (assuming (divides n size))))
        (rule toMapWorkGroup ((d Int (int 0))) (alt map (apply mapWorkGroup d) (requires (and (not (property within (apply mapGlobal _))) (not (property within (apply mapWorkGroup d)))))))
        (rule toMapLocal ((d Int (int 0))) (alt map (apply mapLocal d) (requires (and (property within (apply mapWorkGroup d)) (not (property within (apply mapLocal d)))))))
        (rule toReduceSeq ((a Addr (address Private))) (alt reduce (apply reduceSeq a)) (alt reduceSeq (apply reduceSeq a)))
        (strategy every (c) (s) - (call tryAll (binary ; c s)))
        (pred isMap {map (apply map _) (apply (apply map _) _)})
        (@ title "Fuse maps") (rule mapFusion (alt (binary >> (apply map f) (apply map g)) (apply map (binary >> f g))))
        (@ title "Split map") (rule mapFission (alt (apply map (fun (x) (apply f gx))) (binary >> (apply map (fun (x) gx)) (apply map f)) (where (and (notIn x f) (not (holds isIdentifier gx))))))
        (example "three maps" (input (fun (xs) (binary |> (binary |> (binary |> xs (apply map h)) (apply map g)) (apply map f)))) (apply (call normalize mapFusion)) (expect (fun (xs) (binary |> xs (apply map (binary >> (binary >> h g) f))))) (modulo BENF))
        (rule splitJoin ((n Nat)) (alt (ascribe (apply map f) (arrow (array m s) (array m t))) (binary >> (binary >> (apply split n) (apply map (apply map f))) join) (assuming (divides n m))))
        (rule slideBeforeSplit (alt (binary >> (apply (apply slide n) s) (apply split k)) (binary >> (apply (apply slide w) (binary * s k)) (apply map (apply (apply slide n) s))) (let w (binary + (binary * s (paren (binary - k (int 1)))) n))))
        (rule slideOverlap ((u Nat)) (alt (ascribe (apply (apply slide n) m) (arrow (array l t) (array c (array n t)))) (binary >> (binary >> (apply (apply slide u) v) (apply map (apply (apply slide n) m))) join) (let v (binary - (binary + u m) n)) (requires (divides m v)) (assuming (divides v (paren (binary + (binary - l n) m))))))
        (@ title "Fuse map into reduce") (rule fuseReduceMap (alt (binary >> (apply map g) (apply (apply reduce f) z)) (apply (apply reduceSeq (fun (acc y) (apply (apply f acc) (apply g y)))) z)) (alt (binary >> (apply map g) (apply (apply reduceSeq f) z)) (apply (apply reduceSeq (fun (acc y) (apply (apply f acc) (apply g y)))) z)))
        (@ title "Split reduction") (rule splitReduce ((n Nat)) (alt (ascribe (apply (apply reduce op) z) (arrow (array m t) t)) (binary >> (binary >> (apply split n) (apply map (apply (apply reduce op) z))) (apply (apply reduce op) z)) (requires (and (property assoc op) (property neutral op z))) (assuming (divides n m))))
        (unsafe) (rule unFuse (alt (apply (apply reduceSeq (fun (acc y) (apply (apply op acc) gy))) z) (binary >> (apply map (fun (y) gy)) (apply (apply reduce op) z)) (where (and (and (notIn acc gy) (notIn acc op)) (notIn y op)))))
        (rule eta (alt (fun (x) (apply f x)) f (where (notIn x f))))
        (@ looping) (rule etaExp (alt (ascribe f (arrow a b)) (fun (x) (apply f x))))
        (normalform BENF (call normalize (binary <+ eta beta)))
        (normalform RNF (binary ; (call normalize (binary ; DFNF mapFission)) DFNF))
        (normalform CNF (call normalize mapFusion))
        (strategy try (s) - (binary <+ s id))
        (strategy repeat (s) - (call try (binary ; s (call repeat s))))
        (strategy topDown (s) - (binary <+ s (call one (call topDown s))))
        (strategy bottomUp (s) - (binary <+ (call one (call bottomUp s)) s))
        (strategy tryAll (s) - (binary ; (call all (call tryAll (call try s))) (call try s)))
        (strategy outermost (c) (s) - (call topDown (binary ; c s)))
        (strategy innermost (c) (s) - (call bottomUp (binary ; c s)))
        (strategy fmap (s) - (call function (call argumentOf map (call body s))))
        (strategy body (s) - (lambda (p) (match p (case (term (fun (x) b)) (call (member (call s b) mapSuccess) (lambda (nb) (rise (fun (x) nb))))) (case _ (call fail p)))))
        (strategy f ((s (Strategy Rise))) (Strategy Rise) (lambda (p) (match p (case (fun x b) (call (member (call s b) mapSuccess) (lambda (nb) (call fun x nb)))) (case _ (call Failure s)))))
        (strategy tileND ((ns (List Nat))) Strategy (binary ; DFNF (paren (match ns (case (list) id) (case (list n) (call function (call splitJoin n))) (case (cons n ms) (binary ; (binary ; (call fmap (call tileND ms)) (call function (call splitJoin n))) (call interchange (member ns size))))))))
        (@ title "Tile {x}×{y}") (strategy tile ((x Nat) (y Nat)) - (call tileND (list x y)))
        (strategy blocking - (binary ;; (binary ;; (binary ;; (binary ; baseline (binary @ (call tile (int 32) (int 32)) (call outermost (call mapNest (int 2))))) (binary @ reduceMapFission (call outermost (call isApplied (call isApplied isReduceSeq))))) (binary @ (call splitStrategy (int 4)) (call innermost isFullyAppliedReduce))) (call reorder (List (int 1) (int 2) (int 5) (int 6) (int 3) (int 4)))))
        (rule separateDotVH ((w2d Expr) (wV Expr) (wH Expr)) (alt (apply dot (apply join w2d) (apply join nbh)) (binary |> (binary |> (binary |> nbh transpose) (apply map (apply dot wV))) (apply dot wH)) (requires (holds (call outerProduct wV wH) w2d))))
        (val sbf - (call (paren (binary ; (call topDown (call separateDotVH binomial2d binomialV binomialH)) lowerToC)) bf))
        (strategy storeInMemory ((what Pred)) ((how Strategy)) - (lambda (p) (match (call (call extract what) p) (case (success t) (if (call closedAt t p)) (call (member (paren (call how t)) flatMapSuccess) (lambda (t2) (call (member (call replaceAll what x p) mapSuccess) (lambda (q) (rise (apply (apply let (apply toMem t2)) (fun (x) q)))))))) (case _ (call fail p)))))
        (val packB - (binary @ (call (call storeInMemory (call isApplied isTranspose)) (binary ;; (binary ;; permuteB (binary @ (call vectorize (int 32)) (call innermost isFullyAppliedMap))) (binary @ parallel (call outermost (call isApplied isMap))))) inLambda))
        (val loopPerm - (paren (binary ;; (binary ;; (binary ;; (call topDown (call tile (int 32) (int 32))) (call topDown (binary ; isReduce (call split (int 4))))) (call topDown (call reorder (Seq (int 1) (int 2) (int 5) (int 3) (int 6) (int 4))))) (call topDown (call vectorize (int 32))))))
        (val arrayPacking - (paren (binary ;; (binary ;; (binary ;; packB loopPerm) (call topDown (call vectorize (int 32)))) parallelizeCopy)))
        (main (call (paren (binary ; (binary ;; (binary ;; arrayPacking (call topDown parallel)) (call bottomUp (binary ; isReduce unroll))) lowerToC)) mm))
    "#]],
    );
}

#[test]
fn the_schedules_of_matrix_multiplication() {
    check(
        SCHEDULES,
        expect![[r#"
            (val baseline - (binary ; DFNF (paren (binary @ fuseReduceMap topDown))))
            (val blocking - (binary ;; (binary ;; (binary ;; (binary ; baseline (paren (binary @ (call tile (int 32) (int 32)) (call outermost (call mapNest (int 2)))))) (paren (binary @ reduceMapFission (call outermost (call isApplied (call isApplied isReduceSeq)))))) (paren (binary @ (call splitStrategy (int 4)) (call innermost isFullyAppliedReduce)))) (call reorder (list (int 1) (int 2) (int 5) (int 6) (int 3) (int 4)))))
            (val vectorization - (binary ;; blocking (paren (binary @ (call vectorize (int 32)) (call innermost isFullyAppliedMap)))))
            (val loopPerm - (binary ;; (binary ;; (binary ;; (binary ;; (binary ; baseline tile) reduceMapFission) (call splitStrategy (int 4))) (call reorder (list (int 1) (int 2) (int 5) (int 3) (int 6) (int 4)))) (paren (binary @ (call vectorize (int 32)) (call innermost isFullyAppliedMap)))))
            (val arrayPacking - (binary ;; packB loopPerm))
            (val cacheBlocks - (binary ;; arrayPacking (paren (binary @ unroll (call innermost isReduceSeq)))))
            (val par - (binary ;; (binary ;; arrayPacking (paren (binary @ parallel (call outermost (call isApplied isMap))))) (paren (binary @ unroll (call innermost isReduceSeq)))))
            (val paperBaseline - (call (paren (binary ; (binary ; DFNF (call topDown fuseReduceMap)) lowerToC)) mm))
            (val paperBlocking - (binary ;; (binary ;; (call topDown (call tile (int 32) (int 32))) (call topDown (binary ; isReduce (call split (int 4))))) (call topDown (call reorder (Seq (int 1) (int 2) (int 5) (int 6) (int 3) (int 4))))))
            (val paperLoopPerm - (binary ;; (binary ;; (binary ;; (call topDown (call tile (int 32) (int 32))) (call topDown (binary ; isReduce (call split (int 4))))) (call topDown (call reorder (Seq (int 1) (int 2) (int 5) (int 3) (int 6) (int 4))))) (call topDown (call vectorize (int 32)))))
            val paperLoopPerm = topDown(tile(32,32)) ‘;;‘ topDown(isReduce ‘;’ split(4)) ‘;;’ topDown(reorder(Seq(1,2,5,3,6,4))) ;; topDown(vectorize(32))
                                                     ^^^^ syntax-error: the operator is in typographic quotes: write `;;`, with or without backquotes
            fix: Write the operators without quotes [(41..49, ";;"), (67..74, ";"), (85..93, ";;")]
            (val tutorial - (binary ; (binary ; (paren (binary @ `map -> mapPar` (call outermost (call isPrimitive map)))) (paren (binary @ `map -> mapSeq` (call outermost (call isPrimitive map))))) (paren (binary @ `reduce -> reduceSeq` everywhere))))
            (val vectors - (binary ; (call (call innermost isAppliedMap) (binary ; (binary ; (call `map(f) -> asVector >> map(f_vec) >> asScalar` (int 4)) (paren (binary @ `map -> mapSeq` (call innermost (call isPrimitive map))))) storeTempAsVectors)) optimizationStrategy))
            (main (call (paren (binary ; paperBlocking lowerToC)) mm))
        "#]],
    );
}

//! The detection of reads of elements of stored arrays that are never written.
//!
//! `padEmpty` adds elements without values. They may be part of memory and of a result, but no
//! program may read them. [`readers`] follows them from `padEmpty` through memory, names, views and
//! functions to the patterns that read whole arrays. The reads of `idx` and `gather` depend on data
//! and are assumed to be of written elements only.

use nat::{Facts, Nat, Prop};
use rise::core::{Form, Origin, Program, subterms};
use rise::pattern::{IndexMap, MapLoop, RepeatLoop, Stream, View};
use rise::{Arg, Pattern, Primitive, Type};
use rustc_hash::FxHashMap;
use syntax::ast;

use super::access_inference::Term;
use super::access_path::size_at;
use super::problem::{Problem, ProblemKind, User};

/// Returns a problem for each `padEmpty` whose elements are stored and read by a pattern or a C
/// function.
pub(super) fn readers(program: &Program<Primitive>, facts: &Facts) -> Vec<Problem> {
    let pads = |term: &Term| matches!(term.form, Form::Primitive(Primitive::PadEmpty, ..));
    if !subterms(&program.body).any(pads) {
        return Vec::new();
    }
    let mut search = Search {
        facts,
        scope: FxHashMap::default(),
        is_repeated: false,
        found: Vec::new(),
    };
    search.call(&program.body, Vec::new());
    search.found
}

/// A step from a value to one of its parts.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Projection {
    /// The step from an array to any of its elements.
    Element,
    /// The step from a pair to its first half (`false`) or its second.
    Half(bool),
}

use Projection::{Element, Half};

/// An array with unwritten elements that is a value or a part of it.
#[derive(Clone, Debug, PartialEq)]
struct UninitializedArray {
    /// The path from the value to the array.
    path: Vec<Projection>,
    /// The `padEmpty` that adds the elements.
    at: Origin,
    /// The written elements before them, if the unwritten ones are the last.
    before: Option<WrittenPrefix>,
    /// True if the array is in memory: a read of another array is an error already.
    is_stored: bool,
}

/// The written elements at the beginning of an array.
#[derive(Clone, Debug, PartialEq)]
struct WrittenPrefix {
    /// The number of written elements, counted in elements of the result of `padEmpty`.
    count: Nat,
    /// The number of elements of the result of `padEmpty` in one element of the array, which may
    /// have been split since.
    each: Nat,
}

impl UninitializedArray {
    fn moved(mut self, path: Vec<Projection>) -> UninitializedArray {
        self.path = path;
        self
    }

    /// Forgets where in the array the unwritten elements are.
    fn anywhere(mut self) -> UninitializedArray {
        self.before = None;
        self
    }

    fn within(mut self, step: Projection) -> UninitializedArray {
        self.path.insert(0, step);
        self
    }
}

fn within(gaps: Vec<UninitializedArray>, step: Projection) -> Vec<UninitializedArray> {
    gaps.into_iter().map(|gap| gap.within(step)).collect()
}

/// Returns the uninitialized arrays of the part that a step leads to.
fn part(gaps: &[UninitializedArray], step: Projection) -> Vec<UninitializedArray> {
    gaps.iter()
        .filter(|gap| gap.path.first() == Some(&step))
        .map(|gap| gap.clone().moved(gap.path[1..].to_vec()))
        .collect()
}

fn union(
    mut gaps: Vec<UninitializedArray>,
    others: Vec<UninitializedArray>,
) -> Vec<UninitializedArray> {
    for other in others {
        if !gaps.contains(&other) {
            gaps.push(other);
        }
    }
    gaps
}

fn in_memory(mut gaps: Vec<UninitializedArray>) -> Vec<UninitializedArray> {
    for gap in &mut gaps {
        gap.is_stored = true;
    }
    gaps
}

struct Search<'a> {
    facts: &'a Facts,
    /// The uninitialized arrays of the values of local variables.
    scope: FxHashMap<u32, Vec<UninitializedArray>>,
    /// True while the function of a loop is visited with its own result as the argument.
    is_repeated: bool,
    found: Vec<Problem>,
}

impl Search<'_> {
    fn value(&mut self, term: &Term) -> Vec<UninitializedArray> {
        match &term.form {
            Form::Var(local) => self.scope.get(&local.id).cloned().unwrap_or_default(),
            Form::Primitive(primitive, types, args) => {
                self.primitive(term.origin, *primitive, types, args, Vec::new())
            }
            Form::Foreign(function, args) => {
                for arg in args.iter() {
                    let gaps = self.value(arg);
                    let reader = || User::Foreign(function.name.clone(), term.origin);
                    self.read_all(&gaps, reader);
                }
                Vec::new()
            }
            _ => Vec::new(),
        }
    }

    /// Returns the uninitialized arrays of a function's result for arguments with these
    /// uninitialized arrays.
    fn call(
        &mut self,
        f: &Term,
        mut values: Vec<Vec<UninitializedArray>>,
    ) -> Vec<UninitializedArray> {
        match &f.form {
            Form::DepLambda(_, _, body) => self.call(body, values),
            Form::Lambda(param, body) => {
                let value = match values.is_empty() {
                    true => Vec::new(),
                    false => values.remove(0),
                };
                self.scope.insert(param.local.id, value);
                self.call(body, values)
            }
            Form::Primitive(primitive, types, args) => {
                self.primitive(f.origin, *primitive, types, args, values)
            }
            _ => self.value(f),
        }
    }

    /// Returns the uninitialized arrays of the result of a function that gets its own result as an
    /// argument in the next iteration.
    fn rounds(
        &mut self,
        f: &Term,
        start: Vec<UninitializedArray>,
        call: impl Fn(Vec<UninitializedArray>) -> Vec<Vec<UninitializedArray>>,
    ) -> Vec<UninitializedArray> {
        let first = self.call(f, call(start.clone()));
        if self.is_repeated || first.is_empty() {
            return first;
        }
        self.is_repeated = true;
        let again = in_memory(first.clone());
        let second = self.call(f, call(union(start, again)));
        self.is_repeated = false;
        union(first, second)
    }

    fn primitive(
        &mut self,
        at: Origin,
        primitive: Primitive,
        types: &[Arg],
        args: &[Term],
        more: Vec<Vec<UninitializedArray>>,
    ) -> Vec<UninitializedArray> {
        let is_function = |arg: &&Term| matches!(*arg.ty, Type::Fun(..) | Type::Pi(_));
        // The condition of `repeatWhile` precedes its function.
        let function = match primitive {
            Primitive::RepeatWhile => args.iter().filter(is_function).nth(1),
            _ => args.iter().find(is_function),
        };
        let data: Vec<&Term> = args.iter().filter(|arg| !is_function(arg)).collect();
        let mut data: Vec<Vec<UninitializedArray>> =
            data.into_iter().map(|arg| self.value(arg)).collect();
        data.extend(more);
        let last = data.pop().unwrap_or_default();
        let other = data.pop().unwrap_or_default();
        let reader = || User::Primitive(primitive, at);
        match (primitive.pattern(), function) {
            (Pattern::View(View::PadEmpty), _) => {
                let mut gaps = last;
                let added = size_at(types, 1);
                if added.is_none_or(|added| added.as_const() != Some(0)) {
                    let before = size_at(types, 0).map(|count| WrittenPrefix {
                        count,
                        each: Nat::ONE,
                    });
                    gaps.push(UninitializedArray {
                        path: Vec::new(),
                        at,
                        before,
                        is_stored: false,
                    });
                }
                gaps
            }
            (Pattern::Memory, _) => in_memory(last),
            (Pattern::Kernel, _) => last,
            (Pattern::Let, Some(f)) => self.call(f, vec![last]),
            (Pattern::DepMatch, Some(f)) => self.call(f, vec![Vec::new()]),
            (Pattern::Select, _) => union(other, last),
            (Pattern::Pair, _) => union(within(other, Half(false)), within(last, Half(true))),
            (Pattern::Half(half), _) => part(&last, Half(half == ast::Half::Second)),
            (Pattern::MapHalf(half), Some(f)) => {
                let half = Half(half == ast::Half::Second);
                let changed = self.call(f, vec![part(&last, half)]);
                let mut gaps = last;
                gaps.retain(|gap| gap.path.first() != Some(&half));
                union(gaps, within(changed, half))
            }
            (Pattern::Generate, Some(f)) => within(self.call(f, vec![Vec::new()]), Element),
            (Pattern::Map(MapLoop::Computed | MapLoop::Lanes), Some(f)) => {
                let mapped = self.call(f, vec![part(&last, Element)]);
                let mut gaps = last;
                gaps.retain(|gap| gap.path.is_empty());
                union(gaps, within(mapped, Element))
            }
            (Pattern::Map(_) | Pattern::DepMap(_) | Pattern::Stream(Stream::Map), Some(f)) => {
                self.read(&last, reader);
                within(self.call(f, vec![part(&last, Element)]), Element)
            }
            (Pattern::Stream(Stream::Ring | Stream::Window), Some(f)) => {
                self.read(&last, reader);
                let loaded = self.call(f, vec![part(&last, Element)]);
                within(within(loaded, Element), Element)
            }
            (Pattern::Reduce(_), Some(f)) => {
                self.read(&last, reader);
                let element = part(&last, Element);
                let reduced = self.rounds(f, other.clone(), |sum| vec![sum, element.clone()]);
                in_memory(union(other, reduced))
            }
            (Pattern::Scan, Some(f)) => {
                self.read(&last, reader);
                let element = part(&last, Element);
                let sums = self.rounds(f, other, |sum| vec![element.clone(), sum]);
                within(sums, Element)
            }
            (Pattern::Repeat(repeat), Some(f)) => {
                if repeat == RepeatLoop::While {
                    self.read(&last, reader);
                }
                let result = self.rounds(f, last.clone(), |value| vec![value]);
                let result = union(last, result);
                match repeat {
                    RepeatLoop::InPlace | RepeatLoop::Buffers => result,
                    RepeatLoop::While => within(in_memory(result), Half(true)),
                }
            }
            (Pattern::Iterate, Some(f)) => {
                // The sizes of one round differ from those of the next.
                let anywhere = |gaps: Vec<UninitializedArray>| {
                    gaps.into_iter().map(UninitializedArray::anywhere).collect()
                };
                let rounds = self.rounds(f, last.clone(), |array| vec![anywhere(array)]);
                union(last, anywhere(rounds))
            }
            (Pattern::Zip, _) => {
                let zipped = |gaps: Vec<UninitializedArray>, half: Projection| {
                    gaps.into_iter().map(move |mut gap| {
                        if !gap.path.is_empty() {
                            gap.path.insert(1, half);
                        }
                        gap
                    })
                };
                zipped(other, Half(false))
                    .chain(zipped(last, Half(true)))
                    .collect()
            }
            (Pattern::Concat, _) => union(other, last)
                .into_iter()
                .map(UninitializedArray::anywhere)
                .collect(),
            (Pattern::View(View::PadCst), _) => {
                let array = last.into_iter().map(UninitializedArray::anywhere).collect();
                union(within(other, Element), array)
            }
            // A wrong index makes the whole element wrong.
            (Pattern::View(View::Gather | View::Scatter), _) => {
                let array = last.into_iter().filter(|gap| !gap.path.is_empty());
                union(
                    other
                        .into_iter()
                        .map(UninitializedArray::anywhere)
                        .collect(),
                    array.collect(),
                )
            }
            (Pattern::Element, _) => part(&last, Element),
            (Pattern::Literal, _) => {
                let elements = data.into_iter().chain([other, last]);
                within(elements.fold(Vec::new(), union), Element)
            }
            (Pattern::View(view), _) => last
                .into_iter()
                .flat_map(|gap| self.viewed((primitive, view), types, gap))
                .collect(),
            // These have no arrays, or no function where one is expected.
            (Pattern::Scalar | Pattern::Connective | Pattern::MapHalf(_), _)
            | (Pattern::Generate | Pattern::Map(_) | Pattern::DepMap(_) | Pattern::Reduce(_), _)
            | (Pattern::Scan | Pattern::Iterate | Pattern::Stream(_) | Pattern::Let, _)
            | (Pattern::Repeat(_) | Pattern::DepPair | Pattern::DepMatch, _) => Vec::new(),
        }
    }

    /// Returns the uninitialized arrays of a view of an array with an uninitialized part.
    fn viewed(
        &self,
        (primitive, view): (Primitive, View),
        types: &[Arg],
        mut gap: UninitializedArray,
    ) -> Vec<UninitializedArray> {
        use Primitive::{Assume, Drop, Join, Split, Take};
        let size = |at: usize| size_at(types, at);
        match (primitive, &gap.path[..]) {
            (Take, []) => {
                return match (&gap.before, size(0)) {
                    (Some(before), Some(taken)) if self.is_before(&taken, before) => Vec::new(),
                    _ => vec![gap],
                };
            }
            (Drop, []) => {
                if let (Some(before), Some(dropped)) = (&mut gap.before, size(0)) {
                    before.count = before.count.clone() - dropped * before.each.clone();
                }
                return vec![gap];
            }
            (Split, []) => return vec![split(gap, size(0))],
            (Join, []) => return vec![joined(gap, size(1))],
            (Assume, []) => return vec![gap],
            _ => {}
        }
        match (view, &gap.path[..]) {
            (View::Index, path) => {
                let map = primitive.entry().index_map.as_ref();
                match (map.map(IndexMap::arity), path) {
                    (Some((2, 2)), []) => vec![gap.within(Element)],
                    (Some(_), []) => vec![gap.anywhere()],
                    (Some((2, 1)), [Element, ..]) => vec![gap.within(Element)],
                    (Some((1, 2)), [Element]) => vec![gap.moved(Vec::new()).anywhere()],
                    (Some((2, 2)), [Element]) => vec![gap.moved(Vec::new())],
                    (Some((1, 2)), [Element, rest @ ..]) => {
                        let path = rest.to_vec();
                        vec![gap.moved(path)]
                    }
                    (Some(_), [Element, ..]) => vec![gap],
                    _ => Vec::new(),
                }
            }
            (View::Vectors, []) => vec![split(gap, size(0))],
            (View::Lanes, []) => vec![joined(gap, size(0))],
            (View::PadClamp, [Element, ..]) => vec![gap],
            (View::PadClamp | View::DepJoin | View::Partition, []) => vec![gap.anywhere()],
            (View::Unzip, []) => vec![gap.clone().within(Half(false)), gap.within(Half(true))],
            (View::Unzip, [Element, Half(half), rest @ ..]) => {
                let path = [&[Half(*half), Element], rest].concat();
                vec![gap.moved(path)]
            }
            (View::Partition, [Element, ..]) => vec![gap.within(Element)],
            (View::DepJoin, [Element]) => vec![gap.moved(Vec::new()).anywhere()],
            (View::DepJoin, [Element, rest @ ..]) => {
                let path = rest.to_vec();
                vec![gap.moved(path)]
            }
            (View::PadClamp | View::DepJoin | View::Partition | View::Unzip, _)
            | (View::Vectors | View::Lanes | View::Gather | View::Scatter, _)
            | (View::PadCst | View::PadEmpty, _) => Vec::new(),
        }
    }

    /// Returns true if the first `taken` elements of an array are all written.
    fn is_before(&self, taken: &Nat, before: &WrittenPrefix) -> bool {
        let read = taken.clone() * before.each.clone();
        self.facts
            .proves(&Prop::AtLeast(before.count.clone(), read))
    }

    /// Reports a pattern that reads every element of an array with these uninitialized parts, if
    /// the array itself, and not only a part of its elements, is stored with unwritten elements.
    fn read(&mut self, gaps: &[UninitializedArray], reader: impl Fn() -> User) {
        let whole = |gap: &&UninitializedArray| gap.path.is_empty() && gap.is_stored;
        if let Some(gap) = gaps.iter().find(whole) {
            self.report(gap, reader());
        }
    }

    /// Reports a function that reads all parts of a value with these uninitialized parts, if one of
    /// them is stored.
    fn read_all(&mut self, gaps: &[UninitializedArray], reader: impl Fn() -> User) {
        if let Some(gap) = gaps.iter().find(|gap| gap.is_stored) {
            self.report(gap, reader());
        }
    }

    fn report(&mut self, gap: &UninitializedArray, reader: User) {
        if !self.found.iter().any(|known| known.at == gap.at) {
            self.found.push(Problem {
                at: gap.at,
                kind: ProblemKind::LeftOut { reader },
                nest: Vec::new(),
            });
        }
    }
}

/// Returns the uninitialized array after splitting it into rows or vectors of `each` elements.
fn split(mut gap: UninitializedArray, each: Option<Nat>) -> UninitializedArray {
    if let (Some(before), Some(each)) = (&mut gap.before, each) {
        before.each = before.each.clone() * each;
    }
    gap
}

/// Returns the uninitialized array after joining rows or vectors of `each` elements.
fn joined(mut gap: UninitializedArray, each: Option<Nat>) -> UninitializedArray {
    gap.before = gap
        .before
        .filter(|before| Some(&before.each) == each.as_ref());
    if let Some(before) = &mut gap.before {
        before.each = Nat::ONE;
    }
    gap
}

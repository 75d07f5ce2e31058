//! The choices of a lowering, each at a named place, so that a schedule can be printed, edited and
//! applied again.
//!
//! A place is named after the parameter of the function of its map or reduction. If several of these
//! parameters have the same name, the second one in the program is called `x#2`, the third one
//! `x#3`, so that these names do not depend on choices. Functions that the program does not contain,
//! and functions that are not abstractions, have the numbers behind these, in the order in which the
//! lowering visits their places.

use rise::pattern::Parallelism;
use rustc_hash::FxHashMap;
use syntax::ast::Name;

use super::place_numbers::{PlaceName, PlaceNumbers};

/// A choice at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Choice {
    /// The outermost loop is distributed over threads or work-items.
    Parallel,
    /// The loop and those that compute its elements are distributed over work-items of two or three
    /// dimensions.
    Nested,
    /// The loop is executed in order.
    Sequential,
    /// The result of a map is stored in memory.
    Stored,
    /// The elements of a map are computed where they are read.
    Recomputed,
    /// The results of the reductions in a map are accumulated together.
    Accumulated,
    /// As `Accumulated`, and the matrices that are read by columns are transposed before.
    Packed,
    /// The results of the reductions in a map are computed one after another.
    InOrder,
    /// A reduction of constant length is unrolled.
    Unrolled,
    /// A reduction of constant length is a loop.
    Rolled,
}

/// A kind of choice, which a place admits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Question {
    Distribution,
    Memory,
    Order,
    Unrolling,
}

impl Choice {
    const ALL: [Choice; 10] = [
        Choice::Parallel,
        Choice::Nested,
        Choice::Sequential,
        Choice::Stored,
        Choice::Recomputed,
        Choice::Accumulated,
        Choice::Packed,
        Choice::InOrder,
        Choice::Unrolled,
        Choice::Rolled,
    ];

    /// Returns the choices of a lowering for this parallelism, in the order of the parameters of
    /// its strategy.
    pub(crate) fn of(parallelism: Parallelism) -> impl Iterator<Item = Choice> {
        let has_choice = move |choice: &Choice| match choice.question() {
            Question::Distribution if *choice == Choice::Nested => {
                parallelism == Parallelism::WorkItems
            }
            Question::Distribution => parallelism != Parallelism::Sequential,
            // A work-item has no memory for several results.
            Question::Order => parallelism != Parallelism::WorkItems,
            Question::Memory | Question::Unrolling => true,
        };
        Choice::ALL.into_iter().filter(has_choice)
    }

    /// Returns the name of the parameter of a strategy that lists the places of this choice.
    pub(crate) fn parameter(self) -> &'static str {
        match self {
            Choice::Parallel => "parallel",
            Choice::Nested => "nested",
            Choice::Sequential => "sequential",
            Choice::Stored => "stored",
            Choice::Recomputed => "recomputed",
            Choice::Accumulated => "accumulated",
            Choice::Packed => "packed",
            Choice::InOrder => "inOrder",
            Choice::Unrolled => "unrolled",
            Choice::Rolled => "rolled",
        }
    }

    fn question(self) -> Question {
        match self {
            Choice::Parallel | Choice::Nested | Choice::Sequential => Question::Distribution,
            Choice::Stored | Choice::Recomputed => Question::Memory,
            Choice::Accumulated | Choice::Packed | Choice::InOrder => Question::Order,
            Choice::Unrolled | Choice::Rolled => Question::Unrolling,
        }
    }
}

/// The error of choices that do not fit each other or the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ScheduleError {
    /// The program has no such place for this choice; `known` are the places that it has, and
    /// `others` choices of other kinds that have the place. `is_folded` is true if the program has
    /// names of definitions, whose loops are no places.
    NoPlace {
        choice: Choice,
        place: String,
        known: Vec<String>,
        others: Vec<Choice>,
        is_folded: bool,
    },
    /// The place is a loop inside the loop `around`, which is distributed.
    InsideDistributed {
        choice: Choice,
        place: String,
        around: String,
    },
    /// The text is not the name of a place, whatever the program is.
    NoName { choice: Choice, place: String },
    /// A place is twice in one list.
    Repeated { choice: Choice, place: String },
    /// Two choices are given for one place.
    TwoChoices { place: String, choices: [Choice; 2] },
    /// The place does not admit the choice.
    Impossible { choice: Choice, place: String },
}

impl std::fmt::Display for ScheduleError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ScheduleError::NoPlace {
                choice,
                place,
                known,
                others,
                is_folded,
            } => {
                let parameter = choice.parameter();
                write!(f, "the program has no place `{place}` for `{parameter}`: ")?;
                match known.is_empty() {
                    true => write!(f, "it has none for that list")?,
                    false => write!(f, "its places for that list are {}", quoted(known))?,
                }
                if !others.is_empty() {
                    let others: Vec<&str> = others.iter().map(|other| other.parameter()).collect();
                    let others = quoted(&others);
                    write!(
                        f,
                        "; `{place}` is a place for {others} and the alternatives to them"
                    )?;
                }
                match is_folded {
                    true => f.write_str(
                        "; the definitions that it uses are not unfolded: put `normalize(delta) ;` \
                         before this strategy",
                    ),
                    false => Ok(()),
                }
            }
            ScheduleError::InsideDistributed {
                choice,
                place,
                around,
            } => {
                let parameter = choice.parameter();
                write!(
                    f,
                    "`{place}` cannot be in the list `{parameter}`, because the loop `{around}` \
                     around it is distributed: put `{around}` into `sequential` first"
                )
            }
            ScheduleError::NoName { choice, place } => {
                let parameter = choice.parameter();
                let name = place.split('#').next().unwrap_or_default();
                write!(
                    f,
                    "`{place}` in the list `{parameter}` is not the name of a place: the first place \
                     with the name `{name}` is \"{name}\", the second one is \"{name}#2\""
                )
            }
            ScheduleError::Repeated { choice, place } => {
                let parameter = choice.parameter();
                write!(f, "`{place}` is twice in the list `{parameter}`")
            }
            ScheduleError::TwoChoices { place, choices } => {
                let [first, second] = choices.map(Choice::parameter);
                write!(
                    f,
                    "`{place}` is in the lists `{first}` and `{second}`, of which only one is possible"
                )
            }
            ScheduleError::Impossible { choice, place } => {
                let why = match choice {
                    Choice::Recomputed => {
                        "`{}` cannot be recomputed at each read, because an array in it is stored"
                    }
                    Choice::Nested => {
                        "`{}` cannot be distributed over several dimensions: no loop computes its elements, or something is stored between the loops"
                    }
                    Choice::Packed => {
                        "`{}` has no matrix that can be transposed before the loops around it"
                    }
                    Choice::Stored => {
                        "`{}` cannot be stored, because the array that contains it is computed at each read"
                    }
                    _ => "this choice is not possible at `{}`",
                };
                f.write_str(&why.replace("{}", place))
            }
        }
    }
}

fn quoted(names: &[impl std::fmt::Display]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    names.join(", ")
}

/// The choices that are given to a lowering, and those that it makes.
#[derive(Debug, Default)]
pub(crate) struct Schedule {
    given: FxHashMap<(Question, String), GivenChoice>,
    numbers: PlaceNumbers,
    /// The places so far, in the order in which they are visited.
    places: Vec<Place>,
    /// The names of loops that are no places because they are inside a distributed loop, and the
    /// place of that one.
    inner: Vec<(Name, String)>,
}

/// A choice that is given for a place.
#[derive(Debug)]
struct GivenChoice {
    choice: Choice,
    /// True if the lowering has visited the place, perhaps in an attempt that failed.
    is_visited: bool,
}

/// A place at which the lowering chooses.
#[derive(Debug)]
struct Place {
    question: Question,
    name: Name,
    /// The number of the parameter in the program; `None` if it has none, or if the place is not
    /// the first one for it.
    number: Option<usize>,
    /// The name with the number of the place among those of the same name.
    shown: String,
    /// The choice; `None` if there is none to make.
    choice: Option<Choice>,
}

/// Returns true for a name with or without a number from 2 on.
fn is_place_name(text: &str) -> bool {
    match text.split_once('#') {
        None => true,
        Some((_, number)) => {
            !number.starts_with(['0', '+']) && number.parse().is_ok_and(|number: usize| number >= 2)
        }
    }
}

/// A place of a [`Schedule`] whose choice is not recorded yet.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlaceId(usize);

impl Schedule {
    /// Returns the schedule with these choices, each for a list of places.
    ///
    /// # Errors
    /// A text is not the name of a place, two choices are given for one place, or one choice twice.
    pub(crate) fn new(given: &[(Choice, Vec<String>)]) -> Result<Schedule, ScheduleError> {
        let mut schedule = Schedule::default();
        for (choice, places) in given {
            for place in places {
                if !is_place_name(place) {
                    let (choice, place) = (*choice, place.clone());
                    return Err(ScheduleError::NoName { choice, place });
                }
                let key = (choice.question(), place.clone());
                let given = GivenChoice {
                    choice: *choice,
                    is_visited: false,
                };
                let place = place.clone();
                match schedule.given.insert(key, given) {
                    None => {}
                    Some(other) if other.choice == *choice => {
                        let choice = *choice;
                        return Err(ScheduleError::Repeated { choice, place });
                    }
                    Some(other) => {
                        let choices = [other.choice, *choice];
                        return Err(ScheduleError::TwoChoices { place, choices });
                    }
                }
            }
        }
        Ok(schedule)
    }

    /// Sets the numbers of the parameters of the program.
    pub(super) fn set_numbers(&mut self, numbers: PlaceNumbers) {
        self.numbers = numbers;
    }

    /// Adds a place, and returns the choice that is given for it.
    pub(super) fn visit(
        &mut self,
        question: Question,
        place: PlaceName,
    ) -> (PlaceId, Option<Choice>) {
        let PlaceName { name, parameter } = place;
        let before = self.places.iter();
        let same = before.filter(|place| place.question == question && place.name == name);
        let known: Vec<Option<usize>> = same.map(|place| place.number).collect();
        let number = parameter.and_then(|parameter| self.numbers.of(parameter));
        let number = number.filter(|number| !known.contains(&Some(*number)));
        let unnumbered = known.iter().filter(|number| number.is_none()).count();
        let shown = match number.unwrap_or(self.numbers.count(&name) + unnumbered + 1) {
            1 => name.to_string(),
            number => format!("{name}#{number}"),
        };
        let given = self.given.get_mut(&(question, shown.clone())).map(|given| {
            given.is_visited = true;
            given.choice
        });
        self.places.push(Place {
            question,
            name,
            number,
            shown,
            choice: None,
        });
        (PlaceId(self.places.len() - 1), given)
    }

    /// Records a loop that has no place of its own for the choice of its distribution, because it is
    /// inside the distributed loop with the name `around`. Does nothing if there is no such place.
    pub(super) fn visit_inner(&mut self, name: Name, around: &Name) {
        let mut places = self.places.iter().rev();
        let around =
            places.find(|place| place.question == Question::Distribution && place.name == *around);
        if let Some(around) = around {
            self.inner.push((name, around.shown.clone()));
        }
    }

    /// Records the choice at a place.
    pub(super) fn choose(&mut self, place: PlaceId, choice: Choice) {
        self.places[place.0].choice = Some(choice);
    }

    /// Returns the error that a place does not admit the choice that is given for it.
    pub(super) fn impossible(&self, place: PlaceId, choice: Choice) -> ScheduleError {
        ScheduleError::Impossible {
            choice,
            place: self.places[place.0].shown.clone(),
        }
    }

    /// Returns the number of places so far.
    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    /// Forgets the places after the first `len`.
    pub(super) fn truncate(&mut self, len: usize) {
        self.places.truncate(len);
    }

    /// Checks that all given choices were made.
    ///
    /// # Errors
    /// The first given choice, by its parameter and place, whose place the program does not have, or
    /// only in an attempt that failed.
    pub(crate) fn check(&self) -> Result<(), ScheduleError> {
        let is_known = |question, shown: &str| {
            let mut places = self.places.iter();
            places.any(|place| place.question == question && place.shown == shown)
        };
        let unknown = (self.given.iter())
            .filter(|((question, place), _)| !is_known(*question, place))
            .min_by_key(|((_, place), given)| (given.choice.parameter(), place));
        match unknown {
            None => Ok(()),
            Some(((_, place), given)) if given.is_visited => Err(ScheduleError::Impossible {
                choice: given.choice,
                place: place.clone(),
            }),
            Some(((question, place), given)) => Err(self.no_place(*question, given.choice, place)),
        }
    }

    /// Returns the error that the program does not have the place of a given choice.
    fn no_place(&self, question: Question, choice: Choice, place: &str) -> ScheduleError {
        let name = place.split('#').next().unwrap_or(place);
        let mut inner = self.inner.iter();
        if question == Question::Distribution
            && let Some((_, around)) = inner.find(|(inner, _)| *inner == name)
        {
            return ScheduleError::InsideDistributed {
                choice,
                place: place.to_owned(),
                around: around.clone(),
            };
        }
        let of = |question: Question| {
            let places = self.places.iter();
            places.filter(move |place| place.question == question)
        };
        let has_place = |other: &Choice| {
            other.question() != question && of(other.question()).any(|known| known.shown == place)
        };
        let of_each_question = [
            Choice::Parallel,
            Choice::Stored,
            Choice::Accumulated,
            Choice::Unrolled,
        ];
        ScheduleError::NoPlace {
            choice,
            place: place.to_owned(),
            known: of(question).map(|known| known.shown.clone()).collect(),
            others: of_each_question.into_iter().filter(has_place).collect(),
            is_folded: false,
        }
    }

    /// Returns the places of each of these choices.
    pub(crate) fn made(&self, choices: impl Iterator<Item = Choice>) -> Vec<(Choice, Vec<String>)> {
        let places = |choice: Choice| {
            let made = self.places.iter();
            let made = made.filter(move |place| place.choice == Some(choice));
            made.map(|place| place.shown.clone()).collect()
        };
        choices.map(|choice| (choice, places(choice))).collect()
    }
}

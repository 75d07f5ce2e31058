//! Generates OpenCL kernels: work-groups and their work-items compute stages whose results the next
//! stage reads from local, global or private memory, mostly in another order, so that barriers are
//! necessary.

use crate::views::split;
use crate::{Backend, Data, Level, Maker, Scope, Size};

/// A written array, or `None` if the pattern is not applicable.
type Written = Option<(String, Data)>;

impl Maker {
    /// Returns the address space of memory of a single work-item, as the argument of a primitive;
    /// empty for targets without address spaces.
    pub fn in_item(&mut self, ty: &Data) -> String {
        match (self.backend, ty.is_constant()) {
            (Backend::OpenCl, true) => "(Private)".to_owned(),
            (Backend::OpenCl, false) => "(Global)".to_owned(),
            (Backend::C | Backend::OpenMp, _) => String::new(),
        }
    }

    /// Generates one kernel, or two in sequence.
    pub fn kernels(&mut self, value: &str, ty: &Data, scope: &Scope) -> String {
        if !self.choice.one_in(4) {
            let (text, ty) = self.kernel(value, ty, scope);
            let (local, global) = self.launch_sizes();
            self.launch = match self.choice.one_in(6) {
                // The caller chooses the sizes.
                true => String::new(),
                false => format!("@opencl(local = [{local}], global = [{global}])\n"),
            };
            return self.with_gaps(text, &ty);
        }
        let (first, ty) = self.kernel(value, ty, scope);
        let name = self.name("y");
        let run = self.run_kernel();
        let stored = format!("({first}) |> {run} |> toMem(Global)");
        let (second, ty) = self.kernel(&name, &ty, scope);
        let second = self.with_gaps(second, &ty);
        let run = self.run_kernel();
        format!("let {name} = {stored} in ({second}) |> {run}")
    }

    pub fn run_kernel(&mut self) -> String {
        let (local, global) = self.launch_sizes();
        format!("oclRun({local})({global})")
    }

    /// Chooses the local and global sizes of three dimensions for the last kernel.
    fn launch_sizes(&mut self) -> (String, String) {
        let (mut local, mut global) = (vec![1; 3], vec![1; 3]);
        for dimension in 0..self.dimensions as usize {
            let items = match dimension {
                0 => self.choice.of(&[4, 1, 2, 3, 8]),
                _ => self.choice.of(&[1, 2, 3]),
            };
            let groups = match dimension {
                1 if !self.groups_of_groups => 1,
                _ => 1 + self.choice.below(3),
            };
            local[dimension] = items;
            global[dimension] = items * groups;
        }
        let words = |sizes: &[u32]| {
            let words: Vec<String> = sizes.iter().map(u32::to_string).collect();
            words.join(", ")
        };
        (words(&local), words(&global))
    }

    /// Generates the body of a kernel.
    pub fn kernel(&mut self, value: &str, ty: &Data, scope: &Scope) -> (String, Data) {
        // A kernel writes something, even after small choices.
        self.fuel = self.fuel.max(1);
        self.level = Level::Kernel;
        self.dimensions = 1 + u32::from(self.choice.one_in(3));
        self.groups_of_groups = false;
        let (value, ty) = self.viewed(value, ty, scope);
        let (text, ty) = match self.choice.below(3) {
            0 => self.global_maps(&value, &ty, scope),
            _ => (self.grouped(&value, &ty, scope))
                .unwrap_or_else(|| self.global_maps(&value, &ty, scope)),
        };
        self.written_views(&text, &ty)
    }

    /// Maps a work-item to each element, or to each element of each element.
    fn global_maps(&mut self, value: &str, ty: &Data, scope: &Scope) -> (String, Data) {
        self.groups_of_groups = true;
        self.over_items("mapGlobal", value, ty, scope)
    }

    /// Generates a map over an array in which each element is computed by a single work-item, in
    /// all dimensions of the kernel.
    fn over_items(&mut self, map: &str, value: &str, ty: &Data, scope: &Scope) -> (String, Data) {
        let Data::Array(n, elem) = ty else {
            // Views of arrays are arrays.
            return (value.to_owned(), ty.clone());
        };
        if self.dimensions == 2
            && let Data::Array(m, inner) = &**elem
            && self.choice.one_in(2)
        {
            let row = self.name("row");
            let (f, out) = self.one_item(inner, scope);
            let text = format!("{value} |> {map}(1)(fun({row} => {row} |> {map}(0)({f})))");
            return (text, Data::array(*n, Data::array(*m, out)));
        }
        let (f, out) = self.one_item(elem, scope);
        let width = self.choice.of(&[1, 2, 4]);
        let text = self.shared_out(map, value, &f, n.constant().unwrap_or(1), width);
        (text, Data::array(*n, out))
    }

    /// Generates the function of a work-item on an element.
    fn one_item(&mut self, elem: &Data, scope: &Scope) -> (String, Data) {
        let x = self.name("e");
        let outside = std::mem::replace(&mut self.level, Level::Item);
        let (body, out) = self.element(&x, elem, scope);
        self.level = outside;
        (format!("fun({x} => {body})"), out)
    }

    /// Maps `f` over `n` elements: in rows of `width` if it is a divisor and there are two
    /// dimensions.
    pub fn shared_out(&self, map: &str, value: &str, f: &str, n: u32, width: u32) -> String {
        if self.dimensions < 2 {
            return format!("{value} |> {map}(0)({f})");
        }
        let width = if n.is_multiple_of(width) { width } else { 1 };
        format!("{value} |> split({width}) |> {map}(1)({map}(0)({f})) |> join")
    }

    /// Maps a work-group to each row.
    fn grouped(&mut self, value: &str, ty: &Data, scope: &Scope) -> Written {
        let (mut value, mut ty) = (value.to_owned(), ty.clone());
        if let Data::Array(n, elem) = &ty
            && !matches!(**elem, Data::Array(..))
        {
            let width = self.choice.of(&[2, 4, 3, 1]);
            (value, ty) = split(&value, *n, elem, width)?;
        }
        let Data::Array(n, row) = &ty else {
            return None;
        };
        let chunk = self.name("chunk");
        if let Data::Array(m, inner) = &**row
            && matches!(**inner, Data::Array(..))
            && self.dimensions == 2
            && self.choice.one_in(2)
        {
            self.groups_of_groups = true;
            let (chunk, inner_chunk) = (chunk, self.name("chunk"));
            let (body, out) = self.stages(&inner_chunk, inner, scope);
            let text = format!(
                "{value} |> mapWorkGroup(1)(fun({chunk} => {chunk} |> mapWorkGroup(0)(fun({inner_chunk} => {body}))))"
            );
            return Some((text, Data::array(*n, Data::array(*m, out))));
        }
        let (body, out) = self.stages(&chunk, row, scope);
        let text = format!("{value} |> mapWorkGroup(0)(fun({chunk} => {body}))");
        Some((text, Data::array(*n, out)))
    }

    /// Generates the body of a work-group: some stages with stored results, and one that writes the
    /// output.
    fn stages(&mut self, value: &str, ty: &Data, scope: &Scope) -> (String, Data) {
        let outside = std::mem::replace(&mut self.level, Level::Group);
        let mut scope = scope.to_vec();
        let (mut value, mut ty) = (value.to_owned(), ty.clone());
        let mut before = String::new();
        for _ in 0..1 + self.choice.below(3) {
            let (seen, seen_ty) = self.viewed(&value, &ty, &scope);
            let (stage, stage_ty) = self.stage(&seen, &seen_ty, &scope);
            let (stage, stage_ty) = self.written_views(&stage, &stage_ty);
            if !matches!(stage_ty, Data::Array(..)) {
                break;
            }
            let space = self.shared_space(&stage_ty);
            let name = self.name("y");
            before += &format!("let {name} = ({stage}) |> toMem{space} in ");
            // The previous value may be read again, too.
            scope.push((value, ty));
            (value, ty) = (name, stage_ty);
        }
        let (seen, seen_ty) = self.viewed(&value, &ty, &scope);
        let (last, ty) = self.shared(&seen, &seen_ty, &scope);
        self.level = outside;
        (format!("{before}{last}"), ty)
    }

    /// Chooses the address space of the result of a stage.
    fn shared_space(&mut self, ty: &Data) -> &'static str {
        match self.choice.below(8) {
            6 => "(Global)",
            7 if ty.is_constant() => "(Private)",
            _ => "(Local)",
        }
    }

    /// Generates a stage without the storage of its result.
    fn stage(&mut self, value: &str, ty: &Data, scope: &Scope) -> (String, Data) {
        let special = match self.choice.below(7) {
            4 => self.tree(value, ty),
            5 => self.accumulated(value, ty, scope),
            6 => self.row_by_row(value, ty, scope),
            _ => None,
        };
        special.unwrap_or_else(|| self.shared(value, ty, scope))
    }

    /// Distributes the elements over the work-items of a group.
    fn shared(&mut self, value: &str, ty: &Data, scope: &Scope) -> (String, Data) {
        self.over_items("mapLocal", value, ty, scope)
    }

    /// Generates a tree reduction: every round leaves half or a third of the numbers.
    fn tree(&mut self, value: &str, ty: &Data) -> Written {
        let Data::Array(n, elem) = ty else {
            return None;
        };
        let mut left = n.constant()?;
        let by = 2 + self.choice.below(2);
        let mut rounds = 0;
        while left.is_multiple_of(by) && left > 0 && rounds < 3 {
            left /= by;
            rounds += 1;
        }
        if !elem.is_number() || rounds == 0 {
            return None;
        }
        let f = self.combination(elem, elem);
        let start = self.start(elem);
        let (l, part) = (self.name("l"), self.name("part"));
        let rows = match self.choice.one_in(2) {
            false => format!("{part} |> split({by})"),
            // A work-item reads the results of its neighbours.
            true => format!("{part} |> split({l}) |> transpose"),
        };
        let space = self.choice.of(&["Local", "Local", "Global"]);
        let sum = format!("reduceSeq(Private)({f})({start})");
        let round = self.shared_out("mapLocal", &rows, &sum, 1, 1);
        let text = format!(
            "{value} |> iterate({space})({rounds})(depFun({l}: Nat => fun({part}: ({l} * {by}).{elem} => {round})))"
        );
        Some((text, Data::array(Size::number(left), (**elem).clone())))
    }

    /// Generates an element-wise reduction of rows by work-items, with private or local
    /// accumulators.
    fn accumulated(&mut self, value: &str, ty: &Data, scope: &Scope) -> Written {
        let Data::Array(_, row) = ty else {
            return None;
        };
        let Data::Array(m, elem) = &**row else {
            return None;
        };
        if !elem.is_number() || !row.is_constant() {
            return None;
        }
        let (acc, next, pair) = (self.name("acc"), self.name("row"), self.name("p"));
        let start = self.start(elem);
        let space = self.choice.of(&["Private", "Local"]);
        let (mut before, mut seen) = (String::new(), next.clone());
        if self.choice.one_in(2) {
            // The row is copied to local memory, which all work-items of the group read.
            let tile = self.name("tile");
            let copied = self.shared_out("mapLocal", &next, "id", 1, 1);
            before = format!("let {tile} = ({copied}) |> toMem(Local) in ");
            seen = self.reordered(&tile, *m);
        }
        let mut combined = format!("{pair}._1 + {pair}._2");
        if let Some((other, _)) = scope.iter().find(|(_, of)| of == &**elem) {
            combined += &format!(" * {other}");
        }
        let f = format!("fun({pair} => {combined})");
        let pairs = format!("zip({acc})({seen})");
        let step = self.shared_out("mapLocal", &pairs, &f, 1, 1);
        let zeros = format!("(generate(fun(i => {start})) : {row})");
        let zeros = self.shared_out("mapLocal", &zeros, "id", 1, 1);
        let sums = format!("reduceSeq({space})(fun({acc}, {next} => {before}{step}))({zeros})");
        let text = self.shared_out("mapLocal", &format!("{value} |> {sums}"), "id", 1, 1);
        Some((text, (**row).clone()))
    }

    /// Processes rows in sequence, each distributed over the work-items of the group, some in two
    /// stages.
    fn row_by_row(&mut self, value: &str, ty: &Data, scope: &Scope) -> Written {
        let Data::Array(n, row_ty) = ty else {
            return None;
        };
        let Data::Array(..) = **row_ty else {
            return None;
        };
        let row = self.name("row");
        let (body, out) = match self.choice.one_in(2) {
            false => self.shared(&row, row_ty, scope),
            true => {
                let (first, first_ty) = self.shared(&row, row_ty, scope);
                let name = self.name("y");
                let (seen, seen_ty) = match &first_ty {
                    Data::Array(..) => self.viewed(&name, &first_ty, scope),
                    _ => return None,
                };
                let (second, out) = self.shared(&seen, &seen_ty, scope);
                let text = format!("let {name} = ({first}) |> toMem(Local) in {second}");
                (text, out)
            }
        };
        let text = format!("{value} |> mapSeq(fun({row} => {body}))");
        Some((text, Data::array(*n, out)))
    }
}

//! Builds and prints documents, texts with groups: a group is printed on one line if it fits,
//! otherwise each of its own line breaks is printed.
//!
//! A document is a flat list of commands, so that neither its construction nor printing is
//! recursive.

use super::WIDTH;

/// The index of a group of a [`Document`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Group(usize);

#[derive(Debug)]
enum LayoutCommand<'t> {
    Text(&'t str),
    /// A comment after the last text; it may exceed the line width.
    Comment(&'t str),
    /// A space, unless the line ends.
    Space,
    /// A blank line, if the next text begins a line.
    Blank,
    /// A space in a group on one line, otherwise a line break.
    Line,
    /// Nothing in a group on one line, otherwise a line break.
    SoftLine,
    /// A line break, unless a line has just ended or nothing has been written.
    HardLine,
    Open(Group),
    Close,
    /// A change of the indentation of the following lines.
    Indent(i32),
    /// A change of the indentation of the following lines, if the group is not on one line.
    IndentIfBroken(Group, i32),
}

/// A text with its possible layouts.
#[derive(Debug, Default)]
pub(crate) struct Document<'t> {
    commands: Vec<LayoutCommand<'t>>,
    /// For each group, true if it contains a mandatory line break.
    forced: Vec<bool>,
    open: Vec<Group>,
    /// The comments after the last text. They are written before the next text, after the groups
    /// that end with the last text have been closed: those groups need not break for them.
    behind: Vec<&'t str>,
}

/// The number of columns of an indentation step.
const INDENT_WIDTH: i32 = 2;

impl<'t> Document<'t> {
    pub(crate) fn text(&mut self, text: &'t str) {
        self.push(LayoutCommand::Text(text));
        if text.contains('\n') {
            self.break_parent();
        }
    }

    /// Adds a comment that is after the last text and ends its line.
    pub(crate) fn trailing_comment(&mut self, text: &'t str) {
        self.behind.push(text);
    }

    pub(crate) fn blank(&mut self) {
        self.push(LayoutCommand::Blank);
    }

    pub(crate) fn space(&mut self) {
        self.push(LayoutCommand::Space);
    }

    pub(crate) fn line(&mut self) {
        self.push(LayoutCommand::Line);
    }

    pub(crate) fn soft_line(&mut self) {
        self.push(LayoutCommand::SoftLine);
    }

    fn push(&mut self, command: LayoutCommand<'t>) {
        self.write_trailing_comments();
        self.commands.push(command);
    }

    fn write_trailing_comments(&mut self) {
        if self.behind.is_empty() {
            return;
        }
        for comment in std::mem::take(&mut self.behind) {
            self.commands.push(LayoutCommand::Space);
            self.commands.push(LayoutCommand::Comment(comment));
        }
        self.commands.push(LayoutCommand::HardLine);
        self.break_parent();
    }

    /// Adds a line break, so that the enclosing groups do not fit on one line.
    pub(crate) fn hard_line(&mut self) {
        self.push(LayoutCommand::HardLine);
        self.break_parent();
    }

    /// Makes the innermost open group break, and thereby the groups around it.
    pub(crate) fn break_parent(&mut self) {
        if let Some(group) = self.open.last() {
            self.forced[group.0] = true;
        }
    }

    pub(crate) fn open(&mut self) -> Group {
        self.write_trailing_comments();
        let group = Group(self.forced.len());
        self.forced.push(false);
        self.open.push(group);
        self.commands.push(LayoutCommand::Open(group));
        group
    }

    pub(crate) fn close(&mut self) {
        let forced = self.open.pop().is_some_and(|group| self.forced[group.0]);
        if forced {
            self.break_parent();
        }
        self.commands.push(LayoutCommand::Close);
    }

    pub(crate) fn indent(&mut self) {
        self.commands.push(LayoutCommand::Indent(INDENT_WIDTH));
    }

    pub(crate) fn dedent(&mut self) {
        self.commands.push(LayoutCommand::Indent(-INDENT_WIDTH));
    }

    pub(crate) fn indent_if_broken(&mut self, group: Group) {
        self.commands
            .push(LayoutCommand::IndentIfBroken(group, INDENT_WIDTH));
    }

    pub(crate) fn dedent_if_broken(&mut self, group: Group) {
        self.commands
            .push(LayoutCommand::IndentIfBroken(group, -INDENT_WIDTH));
    }

    /// Chooses the line breaks, and returns the text with the line end `newline`.
    pub(crate) fn print(mut self, newline: &str) -> String {
        self.write_trailing_comments();
        let mut printer = Printer {
            out: String::new(),
            newline,
            column: 0,
            indent: 0,
            ended: false,
            space: false,
            blank: false,
        };
        let mut broken = vec![false; self.forced.len()];
        let mut modes = vec![true];
        for (at, command) in self.commands.iter().enumerate() {
            let breaks = modes.last().copied().unwrap_or(true);
            match *command {
                LayoutCommand::Text(text) | LayoutCommand::Comment(text) => printer.text(text),
                LayoutCommand::Blank => printer.blank = true,
                LayoutCommand::Line | LayoutCommand::SoftLine if breaks => printer.end_line(),
                LayoutCommand::Line | LayoutCommand::Space => printer.space = true,
                LayoutCommand::SoftLine => {}
                LayoutCommand::HardLine => printer.end_line(),
                LayoutCommand::Open(group) => {
                    let column = printer.next_column();
                    broken[group.0] = breaks && (self.forced[group.0] || !self.fits(at, column));
                    modes.push(broken[group.0]);
                }
                LayoutCommand::Close => {
                    modes.pop();
                }
                LayoutCommand::Indent(by) => printer.indent += by,
                LayoutCommand::IndentIfBroken(group, by) if broken[group.0] => printer.indent += by,
                LayoutCommand::IndentIfBroken(..) => {}
            }
        }
        printer.out
    }

    /// Returns true if the group that opens at the command with index `open` fits the line from
    /// `column` on, with the texts after it up to the next possible line break.
    fn fits(&self, open: usize, mut column: usize) -> bool {
        let mut depth = 0;
        for command in &self.commands[open..] {
            match command {
                LayoutCommand::Text(text) => {
                    column += text.chars().count();
                    if column > WIDTH {
                        return false;
                    }
                }
                LayoutCommand::Open(_) if depth >= 0 => depth += 1,
                LayoutCommand::Close => {
                    depth -= 1;
                    if depth == 0 {
                        depth = -1;
                    }
                }
                LayoutCommand::Line | LayoutCommand::SoftLine | LayoutCommand::HardLine
                    if depth < 0 =>
                {
                    return true;
                }
                LayoutCommand::Line | LayoutCommand::Space => column += 1,
                _ => {}
            }
        }
        true
    }
}

struct Printer<'n> {
    out: String,
    newline: &'n str,
    column: usize,
    indent: i32,
    /// True if the line ends before the next text.
    ended: bool,
    /// True if a space precedes the next text on the same line.
    space: bool,
    blank: bool,
}

impl Printer<'_> {
    fn text(&mut self, text: &str) {
        if self.ended {
            self.out.push_str(self.newline);
            if self.blank {
                self.out.push_str(self.newline);
            }
            self.column = self.next_column();
            self.out.extend(std::iter::repeat_n(' ', self.column));
        } else if self.space && !self.out.is_empty() {
            self.out.push(' ');
            self.column += 1;
        }
        self.ended = false;
        self.space = false;
        self.blank = false;
        self.out.push_str(text);
        self.column = match text.rfind('\n') {
            Some(at) => text[at + 1..].chars().count(),
            None => self.column + text.chars().count(),
        };
    }

    fn end_line(&mut self) {
        self.ended = !self.out.is_empty();
    }

    fn next_column(&self) -> usize {
        match self.ended {
            true => usize::try_from(self.indent).unwrap_or(0),
            false => self.column + usize::from(self.space),
        }
    }
}

//! Computes the unified diff of two texts, as `diff -u` prints it.

use similar::TextDiff;

/// Returns the unified diff, which is empty if the texts are equal.
pub fn unified(path: &str, old: &str, new: &str) -> String {
    let diff = TextDiff::from_lines(old, new);
    diff.unified_diff().header(path, path).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn as_diff_writes_it() {
        let old = "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\n";
        let new = "a\nb\nC\nd\ne\nf\ng\nh\ni\nj\nk\nl\nm";
        expect![[r#"
            --- x.rise
            +++ x.rise
            @@ -1,6 +1,6 @@
             a
             b
            -c
            +C
             d
             e
             f
            @@ -10,3 +10,4 @@
             j
             k
             l
            +m
            \ No newline at end of file
        "#]]
        .assert_eq(&unified("x.rise", old, new));
        assert_eq!(unified("x.rise", old, old), "");
        assert_eq!(unified("x", "", "a\n"), "--- x\n+++ x\n@@ -0,0 +1 @@\n+a\n");
        assert_eq!(unified("x", "a\n", ""), "--- x\n+++ x\n@@ -1 +0,0 @@\n-a\n");
    }
}

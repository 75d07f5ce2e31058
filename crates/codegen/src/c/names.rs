//! Names that are unique where they are visible, and that mean nothing else in C.

use dpia::Target;
use nat::Var;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::ir::Id;

use super::foreign;

const RESERVED: &str = "auto break case char const continue default do double else enum extern \
    float for goto if inline int long register restrict return short signed sizeof static struct \
    switch typedef union unsigned void volatile while asm typeof bool true false NULL assert main \
    abort malloc calloc realloc free exit printf fprintf stdin stdout stderr fputs memcpy memset \
    memmove size_t ptrdiff_t int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t \
    REGISTER F32_LANES F64_LANES f32xN f64xN f32xNu f64xNu \
    intptr_t uintptr_t intmax_t uintmax_t allocate release floor_div floor_mod min max log2_int \
    pow_int abs labs div ldiv rand random signgam unix linux i386 isnan isinf isfinite signbit \
    isnormal fpclassify isless isgreater isunordered INFINITY NAN HUGE_VAL FLT_MAX omp_in omp_out \
    omp_priv omp_orig y0 y1 yn j0 j1 jn fopen fclose fread fwrite fflush fputc putc puts getc read \
    write open close time clock clock_gettime posix_memalign aligned_alloc signal raise remove rename \
    INT8_MIN INT16_MIN INT32_MIN INT64_MIN INT8_MAX INT16_MAX INT32_MAX INT64_MAX UINT8_MAX \
    UINT16_MAX UINT32_MAX UINT64_MAX SIZE_MAX imin imax";

/// What OpenCL C has besides.
const RESERVED_OPENCL: &str = "kernel global local constant private read_only write_only read_write \
    uniform pipe half uchar ushort uint ulong size_t ptrdiff_t event_t sampler_t image1d_t image2d_t \
    image3d_t queue_t quad complex imaginary bool half4 M_PI M_E MAXFLOAT HUGE_VALF INT_MIN INT_MAX \
    LONG_MIN LONG_MAX CHAR_MIN CHAR_MAX SHRT_MIN SHRT_MAX UINT_MAX ULONG_MAX FLT_EPSILON \
    CLK_LOCAL_MEM_FENCE CLK_GLOBAL_MEM_FENCE barrier mem_fence get_global_id get_local_id get_group_id \
    get_global_size get_local_size get_num_groups get_work_dim get_global_offset printf vec_step \
    async_work_group_copy prefetch wait_group_events abs abs_diff add_sat hadd rhadd clamp clz mad_hi \
    mad24 mul24 mad_sat mul_hi rotate sub_sat upsample popcount degrees mix radians step smoothstep \
    sign cross dot distance length normalize fast_distance fast_length fast_normalize isequal \
    isnotequal islessequal any all bitselect select shuffle shuffle2 mad acospi asinpi atanpi atan2pi \
    cospi exp10 fract lgamma_r logb maxmag minmag pown powr rootn rsqrt sincos sinpi tanpi nan \
    native_sin native_cos native_exp native_log native_sqrt native_rsqrt native_recip native_divide \
    atomic_add atomic_sub atomic_xchg atomic_inc atomic_dec atomic_cmpxchg atomic_min atomic_max \
    atomic_and atomic_or atomic_xor read_imagef write_imagef";

/// Whether OpenCL C has types or functions with names like this: `float4`, `vload4`, `as_int`.
fn is_opencl_generated(name: &str) -> bool {
    let plain = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let is_type = matches!(
        plain,
        "char"
            | "uchar"
            | "short"
            | "ushort"
            | "int"
            | "uint"
            | "long"
            | "ulong"
            | "float"
            | "double"
            | "half"
    );
    is_type
        || plain == "vload"
        || plain == "vstore"
        || ["as_", "convert_", "table_", "lane_", "__"]
            .iter()
            .any(|start| name.starts_with(start))
}

/// What counters are called that have no name of their own.
const LETTERS: &str = "ijklpqrstuvw";

/// Whether it says nothing but that this is a counter.
pub(crate) fn is_mere_counter(name: &str) -> bool {
    let letter = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '_');
    name == "_" || matches!(letter, "i" | "j" | "k" | "l")
}

/// Whether types and helpers of generated code have names like this: `pair_f32_i32`, `f32x4u`,
/// `f32_to_i32`, `load_f32x3`.
fn is_generated(name: &str) -> bool {
    let is_scalar = |word: &str| {
        let digits = word.trim_start_matches(['f', 'i', 'u']);
        word == "bool"
            || (digits.len() + 1 == word.len() && matches!(digits, "8" | "16" | "32" | "64"))
    };
    let is_vector = |word: &str| {
        let lanes = word
            .split_once('x')
            .map(|(scalar, n)| (scalar, n.trim_end_matches('u')));
        lanes.is_some_and(|(scalar, n)| {
            is_scalar(scalar) && !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit())
        })
    };
    let converts = |(from, to): (&str, &str)| is_scalar(from) && is_scalar(to);
    name.starts_with("pair_")
        || name.starts_with("load_")
        || name.starts_with("store_")
        || is_vector(name)
        || name.split_once("_to_").is_some_and(converts)
}

/// Names in use, by scope.
pub(crate) struct Scopes {
    /// Taken everywhere.
    global: FxHashSet<String>,
    /// Taken in the open scopes, outermost first.
    open: Vec<FxHashSet<String>>,
    ids: FxHashMap<Id, String>,
    vars: FxHashMap<Var, String>,
    target: Target,
}

impl Scopes {
    pub fn new(target: Target) -> Scopes {
        let own = match target {
            Target::OpenCl => RESERVED_OPENCL,
            Target::C | Target::OpenMp => "",
        };
        let reserved = RESERVED.split_whitespace().chain(own.split_whitespace());
        Scopes {
            target,
            global: reserved.map(str::to_owned).collect(),
            open: vec![FxHashSet::default()],
            ids: FxHashMap::default(),
            vars: FxHashMap::default(),
        }
    }

    pub fn push(&mut self) {
        self.open.push(FxHashSet::default());
    }

    pub fn pop(&mut self) {
        self.open.pop();
    }

    /// Whether the name can be had.
    pub fn is_free(&self, name: &str) -> bool {
        let on_device = self.target == Target::OpenCl && is_opencl_generated(name);
        !on_device
            && !self.global.contains(name)
            && !self.open.iter().any(|scope| scope.contains(name))
            && !foreign::is_math(name)
            && !is_generated(name)
    }

    /// Keeps a name for the whole text.
    pub fn reserve(&mut self, name: &str) {
        self.global.insert(name.to_owned());
    }

    /// A name like the one wanted, taken in the innermost scope.
    pub fn fresh(&mut self, wanted: &str) -> String {
        // `half` with any number behind it, and all that starts as `lane_` does, are names of the
        // target's own.
        let taken = |name: &str| is_opencl_generated(name) || is_generated(name);
        let base = match identifier(wanted) {
            base if taken(&base) && taken(&format!("{base}_2")) => format!("v_{base}"),
            base => base,
        };
        let numbered = (2u32..).map(|number| match base.as_bytes().last() {
            Some(b'0'..=b'9') => format!("{base}_{number}"),
            _ if taken(&format!("{base}{number}")) => format!("{base}_{number}"),
            _ => format!("{base}{number}"),
        });
        let name = std::iter::once(base.clone())
            .chain(numbered)
            .find(|name| self.is_free(name))
            .unwrap_or(base);
        self.take(&name);
        name
    }

    /// The name of a counter that has none, so many counters in: `i`, `j`, `k`, ….
    pub fn counter(&mut self, depth: usize) -> String {
        let letters = LETTERS.chars().skip(depth.min(3));
        let numbered = (1u32..).map(|number| format!("i{number}"));
        let name = letters
            .map(String::from)
            .chain(numbered)
            .find(|name| self.is_free(name))
            .unwrap_or_default();
        self.take(&name);
        name
    }

    fn take(&mut self, name: &str) {
        if let Some(scope) = self.open.last_mut() {
            scope.insert(name.to_owned());
        }
    }

    pub fn bind(&mut self, id: Id, name: String) {
        self.ids.insert(id, name);
    }

    pub fn bind_var(&mut self, var: Var, name: String) {
        self.vars.insert(var, name);
    }

    pub fn id(&self, id: Id) -> Option<&str> {
        self.ids.get(&id).map(String::as_str)
    }

    pub fn var(&self, var: Var) -> Option<&str> {
        self.vars.get(&var).map(String::as_str)
    }
}

/// The name with all that C does not allow in names left out.
pub(crate) fn identifier(name: &str) -> String {
    let mut out: String = name
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .collect();
    let is_reserved_form = out.starts_with('_') && out != "_";
    if out.is_empty() || out == "_" {
        return "tmp".to_owned();
    }
    if is_reserved_form || out.starts_with(|c: char| c.is_ascii_digit()) {
        out.insert(0, 'x');
    }
    out
}

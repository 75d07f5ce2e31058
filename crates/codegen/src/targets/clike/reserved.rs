//! Lists the names that are reserved in C, in the headers that generated programs include, in
//! generated text, or in OpenCL C, so that definitions and parameters of a program get other names.
//!
//! The lists are sorted. Those of C are from the headers of the GNU C library and of GCC, those of
//! OpenCL from the language standards.

use std::sync::LazyLock;

use crate::targets::{CDialect, Target};
use rustc_hash::FxHashSet;

/// The keywords of C89 to C23, and those that GNU C adds, except for those that start with `_`.
const C_KEYWORDS: &str = "\
    alignas alignof asm auto bool break case char const constexpr continue default do double else \
    enum extern false float for goto if inline int long nullptr register restrict return short \
    signed sizeof static static_assert struct switch thread_local true typedef typeof \
    typeof_unqual union unsigned void volatile while";

/// The macros of the headers that generated programs include, of C99 to C23 with and without POSIX,
/// those that compilers define, and `REGISTER` and `ROUNDED` of generated text; without those that
/// start with
/// `_`.
const C_MACROS: &str = "\
    BIG_ENDIAN BUFSIZ BYTE_ORDER DOMAIN EOF EXIT_FAILURE EXIT_SUCCESS FD_CLR FD_ISSET FD_SET \
    FD_SETSIZE FD_ZERO FILENAME_MAX FOPEN_MAX FP_ILOGB0 FP_ILOGBNAN FP_INFINITE FP_INT_DOWNWARD \
    FP_INT_TONEAREST FP_INT_TONEARESTFROMZERO FP_INT_TOWARDZERO FP_INT_UPWARD FP_LLOGB0 \
    FP_LLOGBNAN FP_NAN FP_NORMAL FP_SUBNORMAL FP_ZERO HUGE HUGE_VAL HUGE_VALF HUGE_VALL INFINITY \
    INT16_C INT16_MAX INT16_MIN INT16_WIDTH INT32_C INT32_MAX INT32_MIN INT32_WIDTH INT64_C \
    INT64_MAX INT64_MIN INT64_WIDTH INT8_C INT8_MAX INT8_MIN INT8_WIDTH INTMAX_C INTMAX_MAX \
    INTMAX_MIN INTMAX_WIDTH INTPTR_MAX INTPTR_MIN INTPTR_WIDTH INT_FAST16_MAX INT_FAST16_MIN \
    INT_FAST16_WIDTH INT_FAST32_MAX INT_FAST32_MIN INT_FAST32_WIDTH INT_FAST64_MAX INT_FAST64_MIN \
    INT_FAST64_WIDTH INT_FAST8_MAX INT_FAST8_MIN INT_FAST8_WIDTH INT_LEAST16_MAX INT_LEAST16_MIN \
    INT_LEAST16_WIDTH INT_LEAST32_MAX INT_LEAST32_MIN INT_LEAST32_WIDTH INT_LEAST64_MAX \
    INT_LEAST64_MIN INT_LEAST64_WIDTH INT_LEAST8_MAX INT_LEAST8_MIN INT_LEAST8_WIDTH LITTLE_ENDIAN \
    L_ctermid L_cuserid L_tmpnam MATH_ERREXCEPT MATH_ERRNO MAXFLOAT MB_CUR_MAX M_1_PI M_2_PI \
    M_2_SQRTPI M_E M_LN10 M_LN2 M_LOG10E M_LOG2E M_PI M_PI_2 M_PI_4 M_SQRT1_2 M_SQRT2 NAN NFDBITS \
    NULL OVERFLOW PDP_ENDIAN PLOSS PTRDIFF_MAX PTRDIFF_MIN PTRDIFF_WIDTH P_tmpdir RAND_MAX \
    REGISTER ROUNDED SEEK_CUR SEEK_END SEEK_SET SIG_ATOMIC_MAX SIG_ATOMIC_MIN SIG_ATOMIC_WIDTH SING \
    SIZE_MAX SIZE_WIDTH TLOSS TMP_MAX UINT16_C UINT16_MAX UINT16_WIDTH UINT32_C UINT32_MAX \
    UINT32_WIDTH UINT64_C UINT64_MAX UINT64_WIDTH UINT8_C UINT8_MAX UINT8_WIDTH UINTMAX_C \
    UINTMAX_MAX UINTMAX_WIDTH UINTPTR_MAX UINTPTR_WIDTH UINT_FAST16_MAX UINT_FAST16_WIDTH \
    UINT_FAST32_MAX UINT_FAST32_WIDTH UINT_FAST64_MAX UINT_FAST64_WIDTH UINT_FAST8_MAX \
    UINT_FAST8_WIDTH UINT_LEAST16_MAX UINT_LEAST16_WIDTH UINT_LEAST32_MAX UINT_LEAST32_WIDTH \
    UINT_LEAST64_MAX UINT_LEAST64_WIDTH UINT_LEAST8_MAX UINT_LEAST8_WIDTH UNDERFLOW WCHAR_MAX \
    WCHAR_MIN WCHAR_WIDTH WCONTINUED WEXITED WEXITSTATUS WIFCONTINUED WIFEXITED WIFSIGNALED \
    WIFSTOPPED WINT_MAX WINT_MIN WINT_WIDTH WNOHANG WNOWAIT WSTOPPED WSTOPSIG WTERMSIG WUNTRACED \
    X_TLOSS alloca assert be16toh be32toh be64toh fpclassify htobe16 htobe32 htobe64 htole16 \
    htole32 htole64 i386 iscanonical iseqsig isfinite isgreater isgreaterequal isinf isless \
    islessequal islessgreater isnan isnormal issignaling issubnormal isunordered iszero le16toh \
    le32toh le64toh linux math_errhandling offsetof signbit stderr stdin stdout unix";

/// The functions, types and constants that these headers declare, the functions of C and POSIX that
/// compilers have built in, those that the C library calls by replaceable names, `main`, and the
/// function `rise_ls_call` that calls generated code.
const C_LIBRARY: &str = "\
    FILE a64l abort abs accept access acct acos acosf acosh acoshf acoshl acosl adjtime alarm \
    aligned_alloc arc4random arc4random_buf arc4random_uniform asctime asctime_r asin asinf asinh \
    asinhf asinhl asinl at_quick_exit atan atan2 atan2f atan2l atanf atanh atanhf atanhl atanl \
    atexit atof atoi atol atoll bcmp bcopy bind blkcnt_t blksize_t brk bsearch bzero cabs cabsf \
    cabsl cacos cacosf cacosh cacoshf cacoshl cacosl caddr_t calloc canonicalize canonicalizef \
    canonicalizel carg cargf cargl casin casinf casinh casinhf casinhl casinl catan catanf catanh \
    catanhf catanhl catanl cbrt cbrtf cbrtl ccos ccosf ccosh ccoshf ccoshl ccosl ceil ceilf ceill \
    cexp cexpf cexpl chdir chmod chown chroot cimag cimagf cimagl clearenv clearerr \
    clearerr_unlocked clock clock_getcpuclockid clock_getres clock_gettime clock_nanosleep \
    clock_settime clock_t clockid_t clog clog10 clog10f clog10l clogf clogl close closefrom \
    confstr conj conjf conjl connect copysign copysignf copysignl cos cosf cosh coshf coshl cosl \
    cpow cpowf cpowl cproj cprojf cprojl creal crealf creall creat crypt csin csinf csinh csinhf \
    csinhl csinl csqrt csqrtf csqrtl ctan ctanf ctanh ctanhf ctanhl ctanl ctermid ctime ctime_r \
    daddl daddr_t daemon daylight dcgettext ddivl dev_t dfmal dgettext difftime div div_t dmull \
    double_t dprintf drand48 drand48_r drem dremf dreml dsqrtl dsubl dup dup2 duplocale dysize \
    ecvt ecvt_r endusershell erand48 erand48_r erf erfc erfcf erfcl erff erfl execl execle execlp \
    execv execve execvp exit exp exp10 exp10f exp10l exp2 exp2f exp2l expf expl explicit_bzero \
    expm1 expm1f expm1l fabs fabsf fabsl faccessat fadd faddl fchdir fchmod fchmodat fchown \
    fchownat fclose fcntl fcvt fcvt_r fd_mask fd_set fdatasync fdim fdimf fdiml fdiv fdivl fdopen \
    feof feof_unlocked ferror ferror_unlocked fexecve fflush fflush_unlocked ffma ffmal ffs ffsl \
    ffsll fgetc fgetc_unlocked fgetpos fgets fileno fileno_unlocked finite finitef finitel float_t \
    flockfile floor floorf floorl fma fmaf fmal fmax fmaxf fmaximum fmaximum_mag fmaximum_mag_num \
    fmaximum_mag_numf fmaximum_mag_numl fmaximum_magf fmaximum_magl fmaximum_num fmaximum_numf \
    fmaximum_numl fmaximumf fmaximuml fmaxl fmemopen fmin fminf fminimum fminimum_mag \
    fminimum_mag_num fminimum_mag_numf fminimum_mag_numl fminimum_magf fminimum_magl fminimum_num \
    fminimum_numf fminimum_numl fminimumf fminimuml fminl fmod fmodf fmodl fmul fmull fopen fork \
    fpathconf fpos_t fprintf fputc fputc_unlocked fputs fputs_unlocked fread fread_unlocked free \
    freelocale freopen frexp frexpf frexpl fromfp fromfpf fromfpl fromfpx fromfpxf fromfpxl \
    fsblkcnt_t fscanf fseek fseeko fsetpos fsfilcnt_t fsid_t fsqrt fsqrtl fstat fstatat fsub fsubl \
    fsync ftell ftello ftruncate ftrylockfile funlockfile futimens futimes fwrite fwrite_unlocked \
    gamma gammaf gammal gcvt getc getc_unlocked getchar getchar_unlocked getcwd getdelim \
    getdomainname getdtablesize getegid getentropy getenv geteuid getgid getgroups gethostid \
    gethostname getitimer getline getloadavg getlogin getlogin_r getopt getpagesize getpass \
    getpeername getpgid getpgrp getpid getppid getpriority getrlimit getrusage gets getsid \
    getsockname getsockopt getsubopt gettext gettimeofday getuid getusershell getw getwd gid_t \
    gmtime gmtime_r gsignal hypot hypotf hypotl id_t ilogb ilogbf ilogbl imaxabs index initstate \
    initstate_r ino_t int16_t int32_t int64_t int8_t int_fast16_t int_fast32_t int_fast64_t \
    int_fast8_t int_least16_t int_least32_t int_least64_t int_least8_t intmax_t intptr_t isalnum \
    isalpha isascii isatty isblank iscntrl isdigit isfdtype isgraph isinff isinfl islower isnanf \
    isnanl isprint ispunct isspace isupper iswalnum iswalpha iswblank iswcntrl iswdigit iswgraph \
    iswlower iswprint iswpunct iswspace iswupper iswxdigit isxdigit j0 j0f j0l j1 j1f j1l jn jnf \
    jnl jrand48 jrand48_r key_t kill killpg l64a labs lchmod lchown lcong48 lcong48_r ldexp ldexpf \
    ldexpl ldiv ldiv_t lgamma lgamma_r lgammaf lgammaf_r lgammal lgammal_r link linkat listen \
    llabs lldiv lldiv_t llogb llogbf llogbl llrint llrintf llrintl llround llroundf llroundl \
    locale_t localeconv localtime localtime_r lockf loff_t log log10 log10f log10l log1p log1pf \
    log1pl log2 log2f log2l logb logbf logbl logf logl longjmp lrand48 lrand48_r lrint lrintf \
    lrintl lround lroundf lroundl lseek lstat lutimes madvise main malloc max_align_t mblen \
    mbstowcs mbtowc memccpy memchr memcmp memcpy memmove mempcpy memset mincore mkdir mkdirat \
    mkdtemp mkfifo mkfifoat mknod mknodat mkstemp mkstemps mktemp mktime mlock mlockall mmap \
    mode_t modf modff modfl mprotect mrand48 mrand48_r msync munlock munlockall munmap nan nanf \
    nanl nanosleep nearbyint nearbyintf nearbyintl newlocale nextafter nextafterf nextafterl \
    nextdown nextdownf nextdownl nexttoward nexttowardf nexttowardl nextup nextupf nextupl nice \
    nlink_t nrand48 nrand48_r off_t on_exit open open_memstream openat optarg opterr optind optopt \
    pathconf pause pclose perror pid_t pipe popen posix_fadvise posix_fallocate posix_madvise \
    posix_memalign pow powf powl pread printf profil pselect psiginfo psignal ptrdiff_t putc \
    putc_unlocked putchar putchar_unlocked putenv puts putw pwrite qecvt qecvt_r qfcvt qfcvt_r \
    qgcvt qsort quad_t quick_exit raise rand rand_r random random_r read readlink readlinkat \
    realloc reallocarray realpath recv recvfrom recvmsg register_t remainder remainderf remainderl \
    remove remquo remquof remquol rename renameat revoke rewind rindex rint rintf rintl \
    rise_ls_call rmdir round roundeven roundevenf roundevenl roundf roundl rpmatch sbrk scalb \
    scalbf scalbl scalbln scalblnf scalblnl scalbn scalbnf scalbnl scanf sched_get_priority_max \
    sched_get_priority_min sched_getparam sched_getscheduler sched_rr_get_interval sched_setparam \
    sched_setscheduler sched_yield seed48 seed48_r select send sendmsg sendto setbuf setbuffer \
    setdomainname setegid setenv seteuid setgid sethostid sethostname setitimer setjmp setlinebuf \
    setlocale setlogin setpgid setpgrp setpriority setregid setreuid setrlimit setsid setsockopt \
    setstate setstate_r settimeofday setuid setusershell setvbuf shm_open shm_unlink shutdown \
    sigaction sigaddset sigaltstack sigblock sigdelset sigemptyset sigfillset siggetmask \
    siginterrupt sigismember siglongjmp signal signgam significand significandf significandl \
    sigpending sigprocmask sigqueue sigreturn sigset_t sigsetmask sigstack sigsuspend sigtimedwait \
    sigwait sigwaitinfo sin sincos sincosf sincosl sinf sinh sinhf sinhl sinl size_t sleep \
    snprintf sockatmark socket socketpair sprintf sqrt sqrtf sqrtl srand srand48 srand48_r srandom \
    srandom_r sscanf ssignal ssize_t stat stpcpy stpncpy strcasecmp strcasecmp_l strcat strchr \
    strcmp strcoll strcoll_l strcpy strcspn strdup strerror strerror_l strerror_r strfromd \
    strfromf strfroml strftime strftime_l strlen strncasecmp strncasecmp_l strncat strncmp strncpy \
    strndup strnlen strpbrk strrchr strsep strsignal strspn strstr strtod strtof strtok strtok_r \
    strtol strtold strtoll strtoq strtoul strtoull strtouq strxfrm strxfrm_l suseconds_t symlink \
    symlinkat sync syscall sysconf system tan tanf tanh tanhf tanhl tanl tcgetpgrp tcsetpgrp \
    tempnam tgamma tgammaf tgammal time time_t timegm timelocal timer_create timer_delete \
    timer_getoverrun timer_gettime timer_settime timer_t timespec_get timezone tmpfile tmpnam \
    tmpnam_r toascii tolower toupper towlower towupper trunc truncate truncf truncl ttyname \
    ttyname_r ttyslot tzname tzset u_char u_int u_int16_t u_int32_t u_int64_t u_int8_t u_long \
    u_quad_t u_short ualarm ufromfp ufromfpf ufromfpl ufromfpx ufromfpxf ufromfpxl uid_t uint \
    uint16_t uint32_t uint64_t uint8_t uint_fast16_t uint_fast32_t uint_fast64_t uint_fast8_t \
    uint_least16_t uint_least32_t uint_least64_t uint_least8_t uintmax_t uintptr_t ulong umask \
    ungetc unlink unlinkat unsetenv uselocale ushort usleep utimensat utimes va_list valloc \
    vdprintf vfork vfprintf vfscanf vhangup vprintf vscanf vsnprintf vsprintf vsscanf wait wait3 \
    wait4 waitid waitpid wchar_t wcschr wcscmp wcslen wcsncmp wcstombs wctomb wmemchr wmemcmp \
    wmemcpy wmemmove write y0 y0f y0l y1 y1f y1l yn ynf ynl";

/// The names to which bodies of generated functions refer, which parameters and variables must not
/// hide.
const C_BODIES: &str = "\
    F32_LANES F64_LANES abort allocate allocate_aligned check_count floor_div floor_mod fma fmaf fprintf free \
    imax imin int16_t int32_t int64_t int8_t intptr_t log2_int malloc memcpy pow_int pow_real release \
    size_t uint16_t uint32_t uint64_t uint8_t uintptr_t";

/// The keywords of OpenCL C 1.2 to 3.0 that C does not have, and the words reserved for future use.
const OPENCL_KEYWORDS: &str = "\
    complex constant generic global half imaginary kernel local pipe private quad read_only \
    read_write uniform vec_step write_only";

/// The types of OpenCL C 1.2 to 3.0, besides vectors.
const OPENCL_TYPES: &str = "\
    atomic_double atomic_flag atomic_float atomic_half atomic_int atomic_intptr_t atomic_long \
    atomic_ptrdiff_t atomic_size_t atomic_uint atomic_uintptr_t atomic_ulong cl_mem_fence_flags \
    clk_event_t clk_profiling_info event_t image1d_array_t image1d_buffer_t image1d_t \
    image2d_array_depth_t image2d_array_msaa_depth_t image2d_array_msaa_t image2d_array_t \
    image2d_depth_t image2d_msaa_depth_t image2d_msaa_t image2d_t image3d_t intptr_t \
    kernel_enqueue_flags_t memory_order memory_scope ndrange_t ptrdiff_t queue_t reserve_id_t \
    sampler_t size_t uchar uint uintptr_t ulong ushort";

/// The macros of OpenCL C 1.2 to 3.0, besides those that start with `CLK_` and `CL_`.
const OPENCL_MACROS: &str = "\
    ATOMIC_FLAG_INIT ATOMIC_VAR_INIT CHAR_BIT CHAR_MAX CHAR_MIN DBL_DIG DBL_EPSILON DBL_MANT_DIG \
    DBL_MAX DBL_MAX_10_EXP DBL_MAX_EXP DBL_MIN DBL_MIN_10_EXP DBL_MIN_EXP DBL_RADIX FLT_DIG \
    FLT_EPSILON FLT_MANT_DIG FLT_MAX FLT_MAX_10_EXP FLT_MAX_EXP FLT_MIN FLT_MIN_10_EXP FLT_MIN_EXP \
    FLT_RADIX FP_ILOGB0 FP_ILOGBNAN HALF_DIG HALF_EPSILON HALF_MANT_DIG HALF_MAX HALF_MAX_10_EXP \
    HALF_MAX_EXP HALF_MIN HALF_MIN_10_EXP HALF_MIN_EXP HALF_RADIX HUGE_VAL HUGE_VALF INFINITY \
    INT_MAX INT_MIN LONG_MAX LONG_MIN MAXFLOAT MAX_WORK_DIM M_1_PI M_1_PI_F M_1_PI_H M_2_PI \
    M_2_PI_F M_2_PI_H M_2_SQRTPI M_2_SQRTPI_F M_2_SQRTPI_H M_E M_E_F M_E_H M_LN10 M_LN10_F \
    M_LN10_H M_LN2 M_LN2_F M_LN2_H M_LOG10E M_LOG10E_F M_LOG10E_H M_LOG2E M_LOG2E_F M_LOG2E_H M_PI \
    M_PI_2 M_PI_2_F M_PI_2_H M_PI_4 M_PI_4_F M_PI_4_H M_PI_F M_PI_H M_SQRT1_2 M_SQRT1_2_F \
    M_SQRT1_2_H M_SQRT2 M_SQRT2_F M_SQRT2_H NAN NULL SCHAR_MAX SCHAR_MIN SHRT_MAX SHRT_MIN \
    UCHAR_MAX UINT_MAX ULONG_MAX USHRT_MAX kernel_exec";

/// The built-in functions and constants of OpenCL C 1.2 to 3.0 and of the extensions of Khronos,
/// besides conversions, loads and stores.
const OPENCL_FUNCTIONS: &str = "\
    abs abs_diff acos acosh acospi add_sat all any asin asinh asinpi async_work_group_copy \
    async_work_group_strided_copy atan atan2 atan2pi atanh atanpi atom_add atom_and atom_cmpxchg \
    atom_dec atom_inc atom_max atom_min atom_or atom_sub atom_xchg atom_xor atomic_add atomic_and \
    atomic_cmpxchg atomic_compare_exchange_strong atomic_compare_exchange_strong_explicit \
    atomic_compare_exchange_weak atomic_compare_exchange_weak_explicit atomic_dec atomic_exchange \
    atomic_exchange_explicit atomic_fetch atomic_fetch_add atomic_fetch_add_explicit \
    atomic_fetch_and atomic_fetch_and_explicit atomic_fetch_max atomic_fetch_max_explicit \
    atomic_fetch_min atomic_fetch_min_explicit atomic_fetch_or atomic_fetch_or_explicit \
    atomic_fetch_sub atomic_fetch_sub_explicit atomic_fetch_xor atomic_fetch_xor_explicit \
    atomic_flag_clear atomic_flag_clear_explicit atomic_flag_test_and_set \
    atomic_flag_test_and_set_explicit atomic_inc atomic_init atomic_load atomic_load_explicit \
    atomic_max atomic_min atomic_or atomic_store atomic_store_explicit atomic_sub \
    atomic_work_item_fence atomic_xchg atomic_xor barrier bit_reverse bitfield_extract_signed \
    bitfield_extract_unsigned bitfield_insert bitselect capture_event_profiling_info cbrt ceil \
    clamp clz commit_read_pipe commit_write_pipe copysign cos cosh cospi create_user_event cross \
    ctz degrees distance dot dot_4x8packed_ss_int dot_4x8packed_su_int dot_4x8packed_us_int \
    dot_4x8packed_uu_uint dot_acc_sat dot_acc_sat_4x8packed_ss_int dot_acc_sat_4x8packed_su_int \
    dot_acc_sat_4x8packed_us_int dot_acc_sat_4x8packed_uu_uint enqueue_kernel enqueue_marker erf \
    erfc exp exp10 exp2 expm1 fabs fast_distance fast_length fast_normalize fdim floor fma fmax \
    fmin fmod fract frexp get_default_queue get_enqueued_local_size get_enqueued_num_sub_groups \
    get_fence get_global_id get_global_linear_id get_global_offset get_global_size get_group_id \
    get_image_array_size get_image_channel_data_type get_image_channel_order get_image_depth \
    get_image_dim get_image_height get_image_num_mip_levels get_image_num_samples get_image_width \
    get_kernel_local_size_for_sub_group_count get_kernel_max_num_sub_groups \
    get_kernel_max_sub_group_size_for_ndrange get_kernel_preferred_work_group_size_multiple \
    get_kernel_sub_group_count_for_ndrange get_kernel_work_group_size get_local_id \
    get_local_linear_id get_local_size get_max_sub_group_size get_num_groups get_num_sub_groups \
    get_pipe_max_packets get_pipe_num_packets get_sub_group_eq_mask get_sub_group_ge_mask \
    get_sub_group_gt_mask get_sub_group_id get_sub_group_le_mask get_sub_group_local_id \
    get_sub_group_lt_mask get_sub_group_size get_work_dim hadd half_cos half_divide half_exp \
    half_exp10 half_exp2 half_log half_log10 half_log2 half_powr half_recip half_rsqrt half_sin \
    half_sqrt half_tan hypot ilogb is_valid_event is_valid_reserve_id isequal isfinite isgreater \
    isgreaterequal isinf isless islessequal islessgreater isnan isnormal isnotequal isordered \
    isunordered ldexp length lgamma lgamma_r log log10 log1p log2 logb mad mad24 mad_hi mad_sat \
    max maxmag mem_fence memory_order_acq_rel memory_order_acquire memory_order_relaxed \
    memory_order_release memory_order_seq_cst memory_scope_all_devices \
    memory_scope_all_svm_devices memory_scope_device memory_scope_sub_group \
    memory_scope_work_group memory_scope_work_item min minmag mix modf mul24 mul_hi nan native_cos \
    native_divide native_exp native_exp10 native_exp2 native_log native_log10 native_log2 \
    native_powr native_recip native_rsqrt native_sin native_sqrt native_tan ndrange_1D ndrange_2D \
    ndrange_3D nextafter normalize popcount pow pown powr prefetch printf radians read_imagef \
    read_imageh read_imagei read_imageui read_mem_fence read_pipe release_event remainder remquo \
    reserve_read_pipe reserve_write_pipe retain_event rhadd rint rootn rotate round rsqrt select \
    set_user_event_status shuffle shuffle2 sign signbit sin sincos sinh sinpi smoothstep sqrt step \
    sub_group_all sub_group_any sub_group_ballot sub_group_ballot_bit_count \
    sub_group_ballot_bit_extract sub_group_ballot_exclusive_scan sub_group_ballot_find_lsb \
    sub_group_ballot_find_msb sub_group_ballot_inclusive_scan sub_group_barrier \
    sub_group_broadcast sub_group_broadcast_first sub_group_clustered_reduce_add \
    sub_group_clustered_reduce_and sub_group_clustered_reduce_logical_and \
    sub_group_clustered_reduce_logical_or sub_group_clustered_reduce_logical_xor \
    sub_group_clustered_reduce_max sub_group_clustered_reduce_min sub_group_clustered_reduce_mul \
    sub_group_clustered_reduce_or sub_group_clustered_reduce_xor sub_group_clustered_rotate \
    sub_group_commit_read_pipe sub_group_commit_write_pipe sub_group_elect \
    sub_group_inverse_ballot sub_group_non_uniform_all sub_group_non_uniform_all_equal \
    sub_group_non_uniform_any sub_group_non_uniform_broadcast sub_group_non_uniform_reduce_add \
    sub_group_non_uniform_reduce_and sub_group_non_uniform_reduce_logical_and \
    sub_group_non_uniform_reduce_logical_or sub_group_non_uniform_reduce_logical_xor \
    sub_group_non_uniform_reduce_max sub_group_non_uniform_reduce_min \
    sub_group_non_uniform_reduce_mul sub_group_non_uniform_reduce_or \
    sub_group_non_uniform_reduce_xor sub_group_non_uniform_scan_exclusive_add \
    sub_group_non_uniform_scan_exclusive_and sub_group_non_uniform_scan_exclusive_logical_and \
    sub_group_non_uniform_scan_exclusive_logical_or \
    sub_group_non_uniform_scan_exclusive_logical_xor sub_group_non_uniform_scan_exclusive_max \
    sub_group_non_uniform_scan_exclusive_min sub_group_non_uniform_scan_exclusive_mul \
    sub_group_non_uniform_scan_exclusive_or sub_group_non_uniform_scan_exclusive_xor \
    sub_group_non_uniform_scan_inclusive_add sub_group_non_uniform_scan_inclusive_and \
    sub_group_non_uniform_scan_inclusive_logical_and \
    sub_group_non_uniform_scan_inclusive_logical_or \
    sub_group_non_uniform_scan_inclusive_logical_xor sub_group_non_uniform_scan_inclusive_max \
    sub_group_non_uniform_scan_inclusive_min sub_group_non_uniform_scan_inclusive_mul \
    sub_group_non_uniform_scan_inclusive_or sub_group_non_uniform_scan_inclusive_xor \
    sub_group_reduce_add sub_group_reduce_max sub_group_reduce_min sub_group_reserve_read_pipe \
    sub_group_reserve_write_pipe sub_group_rotate sub_group_scan_exclusive_add \
    sub_group_scan_exclusive_max sub_group_scan_exclusive_min sub_group_scan_inclusive_add \
    sub_group_scan_inclusive_max sub_group_scan_inclusive_min sub_group_shuffle \
    sub_group_shuffle_down sub_group_shuffle_up sub_group_shuffle_xor sub_sat tan tanh tanpi \
    tgamma to_global to_local to_private trunc upsample wait_group_events work_group_all \
    work_group_any work_group_barrier work_group_broadcast work_group_commit_read_pipe \
    work_group_commit_write_pipe work_group_reduce_add work_group_reduce_max work_group_reduce_min \
    work_group_reserve_read_pipe work_group_reserve_write_pipe work_group_scan_exclusive_add \
    work_group_scan_exclusive_max work_group_scan_exclusive_min work_group_scan_inclusive_add \
    work_group_scan_inclusive_max work_group_scan_inclusive_min write_imagef write_imageh \
    write_imagei write_imageui write_mem_fence write_pipe";

/// The reserved names of a language.
struct Reserved {
    /// The names that neither a function nor its parameters and variables can have.
    in_functions: FxHashSet<&'static str>,
    /// Further names that a function cannot have.
    at_file_scope: FxHashSet<&'static str>,
}

fn set(lists: &[&'static str]) -> FxHashSet<&'static str> {
    lists
        .iter()
        .flat_map(|list| list.split_whitespace())
        .collect()
}

static C: LazyLock<Reserved> = LazyLock::new(|| Reserved {
    in_functions: set(&[C_KEYWORDS, C_MACROS, C_BODIES]),
    at_file_scope: set(&[C_LIBRARY]),
});

// Implementations may define built-in functions as macros, and CPU implementations link kernels
// with the C library.
static OPENCL: LazyLock<Reserved> = LazyLock::new(|| Reserved {
    in_functions: set(&[
        C_KEYWORDS,
        OPENCL_KEYWORDS,
        OPENCL_TYPES,
        OPENCL_MACROS,
        OPENCL_FUNCTIONS,
    ]),
    at_file_scope: set(&[C_LIBRARY]),
});

/// The words of C that a foreign function cannot use as the name of a parameter, because compilers
/// give them another meaning at every position.
static C_WORDS: LazyLock<FxHashSet<&'static str>> = LazyLock::new(|| set(&[C_KEYWORDS, C_MACROS]));
static OPENCL_WORDS: LazyLock<FxHashSet<&'static str>> =
    LazyLock::new(|| set(&[C_KEYWORDS, OPENCL_KEYWORDS, OPENCL_TYPES, OPENCL_MACROS]));

fn reserved(target: Target) -> &'static Reserved {
    match target.dialect() {
        CDialect::Gnu => &C,
        CDialect::OpenCl => &OPENCL,
    }
}

/// Returns all names in the lists of reserved names for the dialect of a target. Names that are
/// reserved because of their form, or for one target only, are not among them.
pub fn names(target: Target) -> impl Iterator<Item = &'static str> {
    let Reserved {
        in_functions,
        at_file_scope,
    } = reserved(target);
    in_functions.union(at_file_scope).copied()
}

/// Returns true if the name is reserved within the functions of a target's text, by a list or by
/// its form.
pub(in crate::targets) fn in_functions(target: Target, name: &str) -> bool {
    reserved(target).in_functions.contains(name)
        || target.backend().words().contains(&name)
        || target.dialect() == CDialect::OpenCl && is_opencl_family(name)
}

/// Returns true if the name is reserved within or outside of the functions of a target's text, by a
/// list or by its form.
pub(in crate::targets) fn at_file_scope(target: Target, name: &str) -> bool {
    let typed = ["f16", "f32", "f32x", "f64", "f64x", "f128"];
    let math = |plain: &str| C.at_file_scope.contains(plain);
    in_functions(target, name)
        || reserved(target).at_file_scope.contains(name)
        || name.starts_with("omp_")
        || name.starts_with("pthread_")
        || (typed.iter()).any(|suffix| name.strip_suffix(suffix).is_some_and(math))
}

/// Returns true if the name is a keyword, a macro or a type that compilers treat as a keyword,
/// which a declaration cannot hide.
pub(crate) fn is_word(target: Target, name: &str) -> bool {
    if target.backend().words().contains(&name) {
        return true;
    }
    match target.dialect() {
        CDialect::Gnu => C_WORDS.contains(name),
        CDialect::OpenCl => {
            OPENCL_WORDS.contains(name) || name.starts_with("CL_") || name.starts_with("CLK_")
        }
    }
}

/// Returns true if the name has a form that OpenCL C reserves: `float4`, `vload4`, `as_int`,
/// `convert_uchar_sat`, `CLK_ADDRESS_CLAMP`, `cl_khr_fp64`, and names that start with `__`.
fn is_opencl_family(name: &str) -> bool {
    let plain = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let is_type = |name: &str| {
        let names = "char uchar short ushort int uint long ulong float double half bool";
        names.split(' ').any(|known| known == name)
    };
    is_type(plain)
        || ["vload", "vstore"]
            .iter()
            .any(|start| name.starts_with(start))
        || ["as_", "convert_", "__", "CL_", "CLK_", "cl_"]
            .iter()
            .any(|start| name.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sorted_and_name_nothing_twice() {
        for list in [
            C_KEYWORDS,
            C_MACROS,
            C_LIBRARY,
            C_BODIES,
            OPENCL_KEYWORDS,
            OPENCL_TYPES,
            OPENCL_MACROS,
            OPENCL_FUNCTIONS,
        ] {
            let words: Vec<&str> = list.split_whitespace().collect();
            assert!(words.is_sorted_by(|a, b| a < b), "{list}");
        }
    }
}

//! What the interpreter of the blocks lacks: `monty` 0.0.23, probed construct by construct.
//!
//! This is the one table of it. When the interpreter changes, so does this file only.

/// A construct that the interpreter does not run, and what to write instead.
pub(crate) struct Lack {
    pub(crate) message: &'static str,
    pub(crate) help: &'static str,
}

macro_rules! lacks {
    ($($name:ident: $message:literal => $help:literal;)*) => {
        $(pub(crate) const $name: Lack = Lack { message: $message, help: $help };)*
    };
}

lacks! {
    DELETE: "`del` is not supported" => "assign `None`, or use `state.data.pop(\"x\", None)`";
    YIELD: "`yield` is not supported" => "collect the values in a list";
    MATCH: "`match` is not supported" => "use `if` and `elif`";
    TYPE_ALIAS: "`type` aliases are not supported" => "leave it out: types are not checked";
    EXCEPT_STAR: "`except*` is not supported" => "use `except`";
    ASYNC_FOR: "`async for` is not supported" => "use `for`";
    ASYNC_WITH: "`async with` is not supported" => "use `with`";
    ASYNC_COMPREHENSION: "`async` comprehensions are not supported" => "use a plain one";
    INHERITANCE: "classes with base classes are not supported" =>
        "use a dict, or a class without bases; raise a built-in exception";
    METHOD_DECORATOR: "decorated methods are not supported" => "use a plain method, or a function";
    CLASS_BODY: "this is not supported in a class" => "use only methods and `name = value`";
    OPERATOR_METHOD: "this special method is never called" => "give it a name and call it";
    STAR_IMPORT: "`import *` is not supported" => "name what you import";
    RELATIVE_IMPORT: "relative imports are not supported" => "a block stands alone";
    UNPACK_TARGET: "an item or attribute cannot be one of several targets, or of a loop" =>
        "unpack into names, then assign each";
    SLICE_TARGET: "assigning to a slice is not supported" => "build a new list: `a[:i] + new + a[j:]`";
    PERCENT: "`%` does not format text here" => "use an f-string, or `.format(..)`";
    MATRIX: "`@` is not supported" => "use a loop";
    DICT_UNION: "`|` does not join dicts here" => "use `{**a, **b}`, or `a.update(b)`";
    SET_ORDER: "`<`, `<=`, `>` and `>=` do not compare sets here" => "use `a.issubset(b)`";
    COMPLEX: "complex numbers are not supported" => "keep the two parts apart";
    T_STRING: "t-strings are not supported" => "use an f-string";
    NEXT_OF_GENERATOR: "`next` does not take a generator expression here" =>
        "use `next(iter([..]), default)` with a list";
    METHOD_VALUE: "a built-in method can only be called here, not passed on" =>
        "wrap it: `lambda x: ..`";
    METHOD_OF_TYPE: "a method of a built-in type can only be called on a value" =>
        "use `lambda x: x.method()`, or call it on the value";
    PRINT_FILE: "`print` has no `file` here" => "leave `file` out";
    DUMPS_DEFAULT: "`json.dumps` has no `default` here" => "convert the values first, with `str(..)`";
    SUB_FUNCTION: "`re.sub` takes no function here" => "build the text with `re.finditer(..)`";
    EXCEPTION_ARGUMENTS: "an exception takes one text here" => "put everything into one f-string";
    ARGUMENTS: "a call takes at most 255 arguments" => "pass a list";
    TOO_DEEP: "this is nested too deep" => "give a name to a part of it";
}

/// How deep statements and expressions may nest. The interpreter stops at 200, and a block
/// is not at its outermost level.
pub(crate) const DEPTH_MAX: usize = 190;

/// How many arguments a call may have.
pub(crate) const ARGUMENTS_MAX: usize = 255;

/// Modules that the reference's own code imports before any block: blocks may rely on them.
pub const IMPLIED_MODULES: [&str; 5] = ["datetime", "json", "os", "sys", "time"];

/// The modules a block can import.
pub fn importable_modules() -> impl Iterator<Item = &'static str> {
    MODULES.iter().map(|(name, _)| *name)
}

/// What a module has, if it can be imported.
pub(crate) fn module(name: &str) -> Option<&'static [&'static str]> {
    let at = MODULES.binary_search_by_key(&name, |(name, _)| name).ok()?;
    Some(MODULES[at].1)
}

/// Sorted, and so are the names in it. Of `os`, only what touches neither files nor the
/// environment.
const MODULES: &[(&str, &[&str])] = &[
    ("asyncio", &["gather", "run"]),
    ("base64", BASE64),
    (
        "binascii",
        &[
            "Error",
            "a2b_base64",
            "a2b_hex",
            "b2a_base64",
            "b2a_hex",
            "crc32",
            "hexlify",
            "unhexlify",
        ],
    ),
    ("collections", &["Counter", "defaultdict", "deque", "namedtuple"]),
    ("dataclasses", &["FrozenInstanceError", "dataclass", "is_dataclass"]),
    ("datetime", &["date", "datetime", "time", "timedelta", "timezone"]),
    ("functools", &["partial", "reduce"]),
    ("itertools", ITERTOOLS),
    ("json", &["JSONDecodeError", "dumps", "loads"]),
    ("math", MATH),
    (
        "os",
        &["altsep", "curdir", "devnull", "extsep", "fspath", "linesep", "name", "pardir", "sep"],
    ),
    ("pathlib", &["Path"]),
    ("re", RE),
    ("sys", &["platform", "stderr", "stdout", "version", "version_info"]),
    ("typing", TYPING),
    (
        "unicodedata",
        &[
            "category",
            "combining",
            "is_normalized",
            "lookup",
            "name",
            "normalize",
            "unidata_version",
        ],
    ),
];

#[rustfmt::skip]
const BASE64: &[&str] = &[
    "MAXBINSIZE", "MAXLINESIZE", "a85decode", "a85encode", "b16decode", "b16encode", "b32decode",
    "b32encode", "b32hexdecode", "b32hexencode", "b64decode", "b64encode", "b85decode", "b85encode",
    "decodebytes", "encodebytes", "standard_b64decode", "standard_b64encode", "urlsafe_b64decode",
    "urlsafe_b64encode",
];

#[rustfmt::skip]
const ITERTOOLS: &[&str] = &[
    "accumulate", "batched", "chain", "compress", "count", "cycle", "dropwhile", "filterfalse",
    "islice", "pairwise", "repeat", "starmap", "takewhile", "zip_longest",
];

#[rustfmt::skip]
const MATH: &[&str] = &[
    "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "ceil", "comb", "copysign",
    "cos", "cosh", "degrees", "e", "erf", "erfc", "exp", "exp2", "expm1", "fabs", "factorial",
    "floor", "fmod", "frexp", "gamma", "gcd", "inf", "isclose", "isfinite", "isinf", "isnan", "isqrt",
    "lcm", "ldexp", "lgamma", "log", "log10", "log1p", "log2", "modf", "nan", "nextafter", "perm",
    "pi", "pow", "radians", "remainder", "sin", "sinh", "sqrt", "tan", "tanh", "tau", "trunc", "ulp",
];

#[rustfmt::skip]
const RE: &[&str] = &[
    "A", "ASCII", "DOTALL", "I", "IGNORECASE", "M", "MULTILINE", "Match", "NOFLAG", "Pattern", "S",
    "compile", "error", "escape", "findall", "finditer", "fullmatch", "match", "search", "split", "sub",
];

#[rustfmt::skip]
const TYPING: &[&str] = &[
    "Annotated", "Any", "Callable", "ClassVar", "Dict", "Final", "FrozenSet", "Generator", "Generic",
    "Iterable", "Iterator", "List", "Literal", "Mapping", "Never", "NoReturn", "Optional", "Protocol",
    "Self", "Sequence", "Set", "TYPE_CHECKING", "Tuple", "Type", "TypeVar", "Union",
];

/// What to use instead of a module, or of something in one, where there is an answer.
pub(crate) fn instead_of(name: &str) -> Option<&'static str> {
    Some(match name {
        "random" | "secrets" => "choose by something in `state.data`: a run must be repeatable",
        "uuid" => "make an id from something in `state.data`: a run must be repeatable",
        "time" => "use `datetime.datetime.now()`",
        "copy" | "copy.copy" | "copy.deepcopy" => {
            "use `dict(x)`, `list(x)` or `json.loads(json.dumps(x))`"
        }
        "yaml" => "use `json`, or give the work to a tool",
        "hashlib" => "use `binascii.crc32(..)`",
        "textwrap" | "string" => "use the methods of text",
        "statistics" => "use `sum(x) / len(x)` and `sorted(x)`",
        "enum" => "use texts",
        "operator" => "use a `lambda`",
        "heapq" | "bisect" => "use `sorted(..)`",
        "collections.abc" => "use `isinstance(x, dict)` or `isinstance(x, list)`",
        "logging" | "pprint" => "use `print(..)`",
        "decimal" | "fractions" => "use `round(..)`, or count in whole units",
        "tempfile" | "subprocess" | "shutil" | "glob" | "io" | "os.path" | "requests"
        | "urllib" | "urllib.request" | "socket" | "threading" => "give the work to a tool",
        "collections.OrderedDict" => "use a dict: it keeps its order",
        "dataclasses.field" | "dataclasses.asdict" => "use a dict",
        "functools.lru_cache" | "functools.cache" => "keep results in a dict",
        "itertools.groupby" => "collect the groups in a `defaultdict(list)`",
        "itertools.product" | "itertools.combinations" | "itertools.permutations" => {
            "use a comprehension with several `for`"
        }
        "json.load" => "use `json.loads(..)`",
        "json.dump" => "use `json.dumps(..)`",
        "math.prod" => "use `functools.reduce(..)`",
        "math.fsum" => "use `sum(..)`",
        "math.hypot" | "math.dist" => "use `math.sqrt(..)`",
        "re.subn" => "use `re.sub(..)`",
        "re.X" | "re.VERBOSE" => "write the pattern on one line",
        "sys.exit" => "use `return state`, or set `state.data[\"_done\"]`",
        "typing.TypedDict" | "typing.NamedTuple" => "use a dict",
        "typing.cast" => "leave it out: types are not checked",
        _ if name.starts_with("os.") => {
            "a block has no files and no environment: use a tool or `state.data`"
        }
        _ => return None,
    })
}

/// Whether the interpreter defines this name everywhere.
pub(crate) fn is_builtin(name: &str) -> bool {
    BUILTINS.binary_search(&name).is_ok()
}

/// Sorted. `open` is defined, but denied, so it is not here.
#[rustfmt::skip]
const BUILTINS: &[&str] = &[
    "ArithmeticError", "AssertionError", "AttributeError", "BaseException", "Ellipsis", "Exception",
    "FileExistsError", "FileNotFoundError", "ImportError", "IndexError", "IsADirectoryError", "KeyError",
    "KeyboardInterrupt", "LookupError", "MemoryError", "ModuleNotFoundError", "NameError",
    "NotADirectoryError", "NotImplemented", "NotImplementedError", "OSError", "OverflowError",
    "PermissionError", "RecursionError", "RuntimeError", "StopIteration", "SyntaxError", "SystemExit",
    "TimeoutError", "TypeError", "UnboundLocalError", "UnicodeDecodeError", "UnicodeEncodeError",
    "ValueError", "ZeroDivisionError", "__name__", "abs", "all", "any", "bin", "bool", "bytes", "chr",
    "dict", "divmod", "enumerate", "filter", "float", "frozenset", "getattr", "hasattr", "hash", "hex",
    "id", "int", "isinstance", "iter", "len", "list", "map", "max", "min", "next", "object", "oct", "ord",
    "pow", "print", "property", "range", "repr", "reversed", "round", "set", "setattr", "slice", "sorted",
    "str", "sum", "tuple", "type", "zip",
];

/// What to use instead of a name that Python defines and the interpreter does not.
pub(crate) fn instead_of_builtin(name: &str) -> Option<&'static str> {
    Some(match name {
        "open" => "a block has no files: use a tool or `state.data`",
        "eval" | "exec" | "compile" | "__import__" => "write the code out, or use a tool",
        "input" => "ask in a step of its own",
        "exit" | "quit" => "use `return state`, or set `state.data[\"_done\"]`",
        "format" => "use an f-string",
        "ascii" => "use `repr(..)`",
        "callable" | "issubclass" | "dir" | "vars" | "help" | "breakpoint" => "leave it out",
        "globals" | "locals" | "delattr" => "use a dict",
        "super" | "classmethod" | "staticmethod" => "use a function",
        "bytearray" | "memoryview" => "use `bytes`",
        "complex" => "keep the two parts apart",
        "aiter" | "anext" => "use `iter` or `next`",
        "IOError"
        | "EnvironmentError"
        | "BlockingIOError"
        | "BrokenPipeError"
        | "ChildProcessError"
        | "ConnectionError"
        | "ConnectionAbortedError"
        | "ConnectionRefusedError"
        | "ConnectionResetError"
        | "InterruptedError"
        | "ProcessLookupError" => "use `OSError`",
        "UnicodeError" | "UnicodeTranslateError" => "use `ValueError`",
        "BufferError"
        | "EOFError"
        | "ExceptionGroup"
        | "BaseExceptionGroup"
        | "FloatingPointError"
        | "GeneratorExit"
        | "IndentationError"
        | "ReferenceError"
        | "StopAsyncIteration"
        | "SystemError"
        | "TabError"
        | "Warning"
        | "BytesWarning"
        | "DeprecationWarning"
        | "EncodingWarning"
        | "FutureWarning"
        | "ImportWarning"
        | "PendingDeprecationWarning"
        | "ResourceWarning"
        | "RuntimeWarning"
        | "SyntaxWarning"
        | "UnicodeWarning"
        | "UserWarning" => "use `Exception`",
        "__file__" => "a block has no file",
        _ => return None,
    })
}

/// What to use instead of a method or attribute that no value has.
pub(crate) fn instead_of_attribute(name: &str) -> Option<&'static str> {
    Some(match name {
        "utcnow" => "use `datetime.now(timezone.utc)`",
        "fromtimestamp" | "utcfromtimestamp" => "use `datetime(1970, 1, 1) + timedelta(seconds=x)`",
        "format_map" => "use `.format(**x)`",
        "maketrans" | "translate" => "use `.replace(..)`",
        "isprintable" => "use `.isalnum()` or `.isspace()`",
        "difference_update" | "intersection_update" | "symmetric_difference_update" => {
            "use the operators of sets: `a = a - b`"
        }
        "read_text" | "write_text" | "read_bytes" | "write_bytes" => {
            "a block has no files: use a tool or `state.data`"
        }
        "is_integer" => "compare with `int(x)`",
        "bit_length" | "bit_count" => "use `len(bin(x)) - 2`",
        "as_integer_ratio" | "to_bytes" | "from_bytes" => "use arithmetic",
        "__class__" => "use `type(x)`",
        "__dict__" => "use a dict",
        _ => return None,
    })
}

/// Special methods that are accepted in a class and never called.
pub(crate) const DEAD_METHODS: &[&str] =
    &["__add__", "__call__", "__getitem__", "__len__", "__lt__"];

/// Built-in types whose methods cannot be taken from the type; `dict.fromkeys(..)` can.
pub(crate) const TYPES: &[&str] = &["bytes", "dict", "float", "int", "list", "set", "str", "tuple"];

/// Methods that only built-in values have, as good as always.
#[rustfmt::skip]
pub(crate) const METHODS: &[&str] = &[
    "append", "capitalize", "casefold", "endswith", "extend", "get", "isdigit", "lower", "lstrip",
    "rstrip", "setdefault", "split", "splitlines", "startswith", "strip", "upper",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_searched_is_sorted() {
        assert!(BUILTINS.is_sorted());
        assert!(MODULES.is_sorted_by_key(|(name, _)| *name));
        assert!(MODULES.iter().all(|(_, names)| names.is_sorted()));
    }
}

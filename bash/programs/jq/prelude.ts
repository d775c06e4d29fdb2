/** Builtins that are written in jq. */
const sources = [
  'def map(f): [.[] | f];',
  'def recurse_down: recurse;',
  'def recurse(f; cond): def r: ., (f | select(cond) | r); r;',
  'def to_entries: [keys_unsorted[] as $k | {key: $k, value: .[$k]}];',
  'def from_entries: reduce .[] as $x ({}; . + {($x | .key // .Key // .name // .Name | _entry_key): ($x | if has("value") then .value else .Value end)});',
  'def with_entries(f): to_entries | map(f) | from_entries;',
  'def leaf_paths: paths(scalars);',
  'def del(f): delpaths([path(f)]);',
  'def map_values(f): .[] |= f;',
  'def finites: select(isinfinite or isnan | not);',
  'def normals: select(isnormal);',
  'def in(xs): . as $x | xs | has($x);',
  'def inside(xs): . as $x | xs | contains($x);',
  'def combinations: if length == 0 then [] else .[0][] as $x | (.[1:] | combinations) as $w | [$x] + $w end;',
  'def combinations(n): . as $dot | [range(n)] | map($dot) | combinations;',
  'def walk(f): . as $in | if type == "object" then reduce keys_unsorted[] as $key ({}; . + {($key): ($in[$key] | walk(f))}) | f elif type == "array" then map(walk(f)) | f else f end;',
  'def env: $ENV;',
  'def todate: strftime("%Y-%m-%dT%H:%M:%SZ");',
  'def todateiso8601: strftime("%Y-%m-%dT%H:%M:%SZ");',
  'def fromdateiso8601: strptime("%Y-%m-%dT%H:%M:%SZ") | mktime;',
  'def fromdate: fromdateiso8601;',
  'def capture(re): capture(re; null);',
  'def capture(re; flags): match(re; flags) | [.captures | .[] | select(.name != null) | {key: .name, value: .string}] | from_entries;',
  'def scan(re): match(re; "g") | if (.captures | length) > 0 then [.captures | .[] | .string] else .string end;',
  'def splits($re): splits($re; null);',
  'def splits($re; flags): split($re; flags) | .[];',
  'def ascii_downcase: _ascii_downcase;',
  'def truncate_stream(stream): . as $n | null | stream | . as $input | if (.[0] | length) > $n then setpath([0]; .[0][$n:]) else empty end;',
  'def fromstream(f): {x: null, e: false} as $init | foreach f as $i ($init; if .e then $init else . end | if $i | length == 2 then setpath(["e"]; $i[0] | length == 0) | setpath(["x"] + $i[0]; $i[1]) else setpath(["e"]; $i[0] | length == 1) end; if .e then .x else empty end);',
  'def tostream: path(def r: (.[]? | r), .; r) as $p | getpath($p) | reduce path(.[]?) as $q ([$p, .]; [$p + $q]);',
  'def INDEX(stream; idx_expr): reduce stream as $row ({}; .[$row | idx_expr | tostring] |= $row);',
  'def INDEX(idx_expr): INDEX(.[]; idx_expr);',
  'def JOIN($idx; idx_expr): [.[] | [., $idx[idx_expr]]];',
  'def JOIN($idx; stream; idx_expr): stream | [., $idx[idx_expr]];',
  'def JOIN($idx; stream; idx_expr; join_expr): stream | [., $idx[idx_expr]] | join_expr;',
  'def IN(s): any(s == .; .);',
  'def IN(src; s): any(src == s; .);',
  'def ascii_upcase: _ascii_upcase;',
  'def halt_error: halt_error(5);',
  'def scalars_or_empty: select(type != "object" and type != "array");',
]

const bySignature = new Map<string, string>(
  sources.map((source) => {
    const [, name = '', parameters] = /^def (\w+)(?:\(([^)]*)\))?:/.exec(source) ?? []
    return [`${name}/${parameters === undefined ? 0 : parameters.split(';').length}`, source] as const
  }),
)

export const preludeSource = (signature: string) => bySignature.get(signature)
export const preludeNames = () => [...bySignature.keys()]

/** What the documentation of yq 4 says, on examples of our own. */
import { afterAll, describe, expect, test } from 'vitest'
import { bashOn } from '../../../bash/standalone.js'
import { emulatedShell } from '../../../node/shell/emulated-shell.js'
import { memory } from '../../../src/fs/backends/memory.js'
import { built } from '../../node/cli/built.js'

const stack = `# how it is run
name: "shop"

services:
  # what users see
  web:
    image: nginx:1.25  # pinned
    ports: [80, 443]
    env:
      - A=1
      # inner
      - B=two
  db:
    image: 'postgres'
    init: |
      create role app;
      create database app;
shared: &shared
  restart: always
  retries: 3
job:
  <<: *shared
  retries: 5
`

const files = {
  'stack.yaml': stack,
  'people.yaml': '- name: Ann\n  age: 34\n- name: Bob\n  age: 27\n- name: Cid\n',
  'two.yaml': 'a: 1\n---\na: 2\n',
  'over.yaml': 'services:\n  web:\n    image: caddy\n',
  'data.json': '{"a": 1, "list": [1.50, "x", null, true], "o": {}}\n',
  'rows.csv': 'id,name\n1,Ann\n2,"B, ob"\n',
}

const bash = bashOn((given) => emulatedShell({ ...given, worker: built('node/emulated-worker.js') }), {
  fs: memory(Object.fromEntries(Object.entries(files).map(([name, text]) => [`/${name}`, text]))),
  env: { WHO: 'Eve', COUNT: '7' },
})
afterAll(() => bash.close())

async function sh(script: string) {
  const { stdout, stderr, exitCode } = await bash.exec(script)
  return { stdout, stderr, exitCode }
}

const printed: ReadonlyArray<[string, string]> = [
  ["yq '.services.web.image' stack.yaml", 'nginx:1.25\n'],
  ["yq '.services.web.ports[1]' stack.yaml", '443\n'],
  ["yq '.services | keys' stack.yaml", '- web\n- db\n'],
  ["yq '.services[].image' stack.yaml", 'nginx:1.25\npostgres\n'],
  ["yq '.services.*.image' stack.yaml", 'nginx:1.25\npostgres\n'],
  ["yq '.job.restart' stack.yaml", 'always\n'],
  ["yq '.missing.deep' stack.yaml", 'null\n'],
  ['yq \'.missing // "none"\' stack.yaml', 'none\n'],
  ["yq '.services.web.ports | length' stack.yaml", '2\n'],
  ["yq '.services.db.init' stack.yaml", 'create role app;\ncreate database app;\n\n'],
  ["yq '.[] | select(.age > 30) | .name' people.yaml", 'Ann\n'],
  ['yq \'.[] | select(.name == "*b")\' people.yaml', 'name: Bob\nage: 27\n'],
  ["yq 'map(.name)' people.yaml", '- Ann\n- Bob\n- Cid\n'],
  ["yq 'sort_by(.age) | .[].name' people.yaml", 'Cid\nBob\nAnn\n'],
  ['yq \'map(select(has("age"))) | length\' people.yaml', '2\n'],
  ["yq '.[0] | to_entries' people.yaml", '- key: name\n  value: Ann\n- key: age\n  value: 34\n'],
  ["yq '.[0] | with_entries(.key |= upcase)' people.yaml", 'NAME: Ann\nAGE: 34\n'],
  ["yq '[.[].age] | filter(. != null) | max' people.yaml", '34\n'],
  ["yq '.[] as $p ireduce (0; . + ($p.age // 0))' people.yaml", '61\n'],
  ['yq \'.[] |= pick(["name"]) | .[1:]\' people.yaml', '- name: Bob\n- name: Cid\n'],
  ["yq 'map({(.name): .age // 0})' people.yaml", '- Ann: 34\n- Bob: 27\n- Cid: 0\n'],
  ['yq \'.[].name |= sub("(.)n", "$1m")\' people.yaml | yq \'.[0].name\' -', 'n\n'],
  ['yq \'.[0].name | test("^a"; "i")\' people.yaml', 'true\n'],
  ['yq \'.[0] | .name + " is " + (.age | to_string)\' people.yaml', 'Ann is 34\n'],
  ['yq \'"\\(.[0].name) and \\(.[1].name)"\' people.yaml', 'Ann and Bob\n'],
  ['yq \'.. | select(tag == "!!int") | path | join(".")\' people.yaml', '0.age\n1.age\n'],
  ["yq '.a' two.yaml", '1\n---\n2\n'],
  ["yq -N '.a' two.yaml", '1\n2\n'],
  ["yq 'document_index' two.yaml", '0\n---\n1\n'],
  ["yq ea '[.[]]' two.yaml", '- 1\n- 2\n'],
  ["yq ea '. as $d ireduce ({}; . * $d)' two.yaml", 'a: 2\n'],
  ["yq ea 'select(fi == 0) * select(fi == 1) | .services.web.image' stack.yaml over.yaml", 'caddy\n'],
  ['yq -n \'.a.b[1].c = "x"\'', 'a:\n  b:\n    - null\n    - c: x\n'],
  ["yq -n '.who = strenv(WHO) | .count = env(COUNT) | .text = strenv(COUNT)'", 'who: Eve\ncount: 7\ntext: "7"\n'],
  ['yq -n \'"hi $WHO" | envsubst\'', 'hi Eve\n'],
  ['yq . data.json', '{\n  "a": 1,\n  "list": [\n    1.50,\n    "x",\n    null,\n    true\n  ],\n  "o": {}\n}\n'],
  ['yq -o yaml data.json', 'a: 1\nlist:\n  - 1.50\n  - x\n  - null\n  - true\no: {}\n'],
  ["yq -p json '.list[1]' data.json", 'x\n'],
  ["yq -o=json -I=0 '.[0]' people.yaml", '{"name":"Ann","age":34}\n'],
  ['yq -o=csv people.yaml', 'name,age\nAnn,34\nBob,27\nCid,\n'],
  ["yq -o=props '.[0]' people.yaml", 'name = Ann\nage = 34\n'],
  ['yq -p csv rows.csv', '- id: 1\n  name: Ann\n- id: 2\n  name: B, ob\n'],
  [
    'yq \'.services.web | explode(.) | .ports style=""\' stack.yaml',
    'image: nginx:1.25 # pinned\nports:\n  - 80\n  - 443\nenv:\n  - A=1\n  # inner\n  - B=two\n',
  ],
  ["yq '.job | explode(.)' stack.yaml", 'restart: always\nretries: 5\n'],
  ["yq '.services.web.image | line_comment' stack.yaml", 'pinned\n'],
  ['yq \'.a line_comment="one"\' two.yaml | head -1', 'a: 1 # one\n'],
  ['yq \'.[0].age tag="!!str" | .[0]\' people.yaml', 'name: Ann\nage: "34"\n'],
  ["yq 'sort_keys(.[0]) | .[0]' people.yaml", 'age: 34\nname: Ann\n'],
  ["yq '.[0] | [.name, .age] | @csv' people.yaml", 'Ann,34\n'],
  ["yq '.[0] | to_json(0)' people.yaml", '{"name":"Ann","age":34}\n'],
  [
    'yq -n \'["true", true, "1.0", "a: b", "- x", "#c", ""]\'',
    '- "true"\n- true\n- "1.0"\n- \'a: b\'\n- \'- x\'\n- \'#c\'\n- ""\n',
  ],
  ['yq \'load("over.yaml").services.web.image\' two.yaml | head -1', 'caddy\n'],
]

describe('prints', () => {
  test.each(printed)('%s', async (script, stdout) => {
    expect(await sh(script)).toEqual({ stdout, stderr: '', exitCode: 0 })
  })
})

test('a file is changed in its place, with its comments and styles', async () => {
  const expression =
    '.services.web.image = "nginx:2" | .services.web.ports += 8080 | .services.db.deploy.replicas = 2 | del(.services.web.env[0])'
  const changed = `# how it is run
name: "shop"
services:
  # what users see
  web:
    image: nginx:2 # pinned
    ports: [80, 443, 8080]
    env:
      # inner
      - B=two
  db:
    image: 'postgres'
    init: |
      create role app;
      create database app;
    deploy:
      replicas: 2
shared: &shared
  restart: always
  retries: 3
job:
  <<: *shared
  retries: 5
`
  expect(await sh(`cp stack.yaml s.yaml; yq -i '${expression}' s.yaml; cat s.yaml`)).toEqual({
    stdout: changed,
    stderr: '',
    exitCode: 0,
  })
  // What it wrote is what it writes.
  expect((await sh('yq . s.yaml | diff s.yaml -')).exitCode).toBe(0)
})

test.each([
  ["echo 'a: [1' | yq .", /^Error: yaml: line \d+: /, 1],
  ["yq '.a' nope.yaml", /^Error: open nope.yaml: no such file or directory\n$/, 1],
  ["yq '.a |' two.yaml", /^Error: bad expression/, 1],
  ["yq -e '.b' two.yaml", /^Error: no matches found\n$/, 1],
  ["yq '.name.x' people.yaml", /^Error: cannot index array with 'name'/, 1],
  ["yq -n '[1] + {}' | cat; yq -n '{} + 1'", /^Error: !!int \(\) cannot be added to a !!map \(\)\n$/, 1],
  ['yq --bogus', /^Error: unknown flag: --bogus\n$/, 1],
  ["yq -n 'now'", /^Error: 'now' is not supported by this shell\n$/, 1],
  ['yq -C . two.yaml', /^yq: option '--colors' is not supported by this shell\n$/, 2],
  ['yq -o xml . two.yaml', /^yq: format 'xml' is not supported by this shell\n$/, 2],
] as const)('fails: %s', async (script, stderr, exitCode) => {
  const ran = await sh(script)
  expect(ran.stderr).toMatch(stderr)
  expect(ran.exitCode).toBe(exitCode)
})

/** What a script has written or changed is seen by everything that looks for it, under whatever name: compared with bash. */
import fc from 'fast-check'
import { test } from 'vitest'
import { scaled } from '../scale.js'
import { sameAsBash } from './same-as-bash.js'

/** `l`, `d/m` and `d/a` behind `k` are links, or behind one. */
const start =
  'mkdir d; echo 1 > a; echo 2 > b; echo 3 > d/a; ln -s a l; ln -s d k; ln -s ../b d/m; ln -s ../l d/n; for i in 1 2 3 4 5; do echo $i > d/f$i; done'
const name = fc.constantFrom('a', 'b', 'l', 'd/a', 'k/a', 'd/m', 'k/m', 'k/n', 'd/n', 'c', 'd/f4', 'k/f5')
const word = fc.constantFrom('x', 'yy', '$(wc -c < a)', '$(cat l)')

const statement = fc.oneof(
  fc.tuple(word, name).map(([text, file]) => `echo ${text} >> ${file}`),
  fc.tuple(word, name).map(([text, file]) => `printf %s ${text} > ${file}`),
  fc.tuple(name, name).map(([from, to]) => `[ ${from} -ef ${to} ] || cat ${from} >> ${to}`),
  name.map((file) => `cat ${file}`),
  name.map((file) => `wc -c < ${file}`),
  name.map((file) => `stat -L -c %s ${file}`),
  name.map((file) => `mapfile -t -n 5 lines < ${file}; for line in "\${lines[@]}"; do echo "$line." >> c; done`),
  fc.tuple(name, name).map(([one, other]) => `{ echo from; cat ${one}; wc -c < ${other}; } >> b; tail -n 1 d/m`),
  fc.tuple(name, name).map(([from, to]) => `[ ${from} -ef ${to} ] || mv -f ${from} ${to}`),
  name.map((file) => `rm -f ${file}; ls d`),
  fc.constant('ls -A . d k/'),
)

const change = fc.oneof(
  fc.tuple(word, name).map(([text, file]) => `echo ${text} >> ${file}`),
  fc.tuple(name, name).map(([from, to]) => `[ ${from} -ef ${to} ] || cp -f ${from} ${to}`),
  fc.tuple(name, name).map(([from, to]) => `[ ${from} -ef ${to} ] || mv -f ${from} ${to}`),
  fc.tuple(name, name).map(([to, link]) => `[ ${to} -ef ${link} ] || ln -sf "$PWD/${to}" ${link}`),
  name.map((file) => `rm -f ${file}`),
  name.map((file) => `chmod 600 ${file}`),
  name.map((file) => `touch -d @86400 ${file}`),
  name.map((file) => `sed -i s/[0-9]/22/ ${file}`),
  fc.constant('ln -sfn . k'),
  fc.constant('rm -f k; cp -R d k'),
  fc.constant('mkdir -p d/e; touch d/e/f6; mv d/e/f6 d; rmdir d/e'),
)
/** Looks at one entry after the other; with a change in between, at what was changed too. */
const look = fc.constantFrom(
  // The size of a directory depends on the file system.
  "[ -d $f ] || stat -L -c '%n %s %a' $f",
  '[ -s $f ] && echo $f',
  'ls -L $f',
  '[ -f $f ] && wc -c < $f',
  '[ -L $f ] && echo $f',
  '[ -f $f ] && cat $f',
  '[ -f $f ] && grep -n . $f',
)
const looking = fc.oneof(
  fc.tuple(look, change).map(([one, between]) => `for f in d/*; do ${one}; ${between}; done`),
  fc
    .tuple(look, change)
    .map(([one, between]) => `for f in * d/* k/*; do ${one}; [ $f = d/f2 ] && { ${between}; }; done`),
  fc.constant("find . -type f -printf '%p %s %m\\n' | sort"),
  fc.constant("stat -c '%n %s %a %F' d/* | grep regular"),
  fc.constant('find d k/ -size -2c | sort'),
  change.map((between) => `grep -r . d k/ | sort; ${between}; grep -rc . d | sort`),
  // `find` lists in the order of the file system, and a file may end within a line: only whole lines are sorted.
  change.map((between) => `cat d/f*; ${between}; wc -c d/f*; find . -type f | sort | xargs cat`),
  change.map((between) => `cat d/f*; ${between}; find . -type f -exec grep -H . {} + | sort`),
)

async function compare(statements: fc.Arbitrary<string>, numRuns: number): Promise<void> {
  const scripts = fc
    .array(statements, { minLength: 3, maxLength: 14 })
    .map((all) => `{ ${[start, ...all].join('\n')}\n} 2>/dev/null; cat a b d/a c 2>/dev/null; true`)
  await sameAsBash(scripts, numRuns)
}

test('scripts that write and read the same files print what bash prints', () => compare(statement, scaled(300)))

test('scripts that look at files one after the other see what they change meanwhile, as in bash', () =>
  compare(fc.oneof(looking, statement), scaled(300)))

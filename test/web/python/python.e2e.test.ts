import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type RoomPage, roomPage } from '../room/room-page.js'
import { hasPytest, installedPackages } from './installed-packages.js'

let opened: RoomPage

beforeAll(async () => {
  opened = await roomPage()
})

afterAll(() => opened?.close())

const done = (stdout: string) => ({ stdout, stderr: '', exitCode: 0 })

describe('python3 in a page that is served without any headers', () => {
  test('runs code, files, modules and what it reads', async () => {
    expect(await opened.python('import sys; print(sys.argv, 6 * 7)')).toEqual(done("['-c'] 42\n"))
    expect(await opened.sh(`echo 'import sys; print(sys.argv, __name__)' > a.py; python3 a.py x`)).toEqual(
      done("['a.py', 'x'] __main__\n"),
    )
    expect(await opened.sh('echo "print(__name__)" | python3')).toEqual(done('__main__\n'))
    expect(await opened.sh(`echo '{"b": 1}' | python3 -m json.tool --compact`)).toEqual(done('{"b":1}\n'))
    expect(await opened.sh(`python3 -O -c 'assert 0; print(__debug__)'`)).toEqual(done('False\n'))
    expect(await opened.python('import sys; sys.exit(3)')).toMatchObject({ exitCode: 3 })
    expect(await opened.python('1/0')).toMatchObject({
      exitCode: 1,
      stderr:
        'Traceback (most recent call last):\n  File "<string>", line 1, in <module>\n    1/0\n    ~^~\nZeroDivisionError: division by zero\n',
    })
  })

  test('is suspended wherever it asks: in callbacks, destructors, generators and what is called through pointers', async () => {
    const code = `
import functools, os, re, sqlite3, tempfile
def read(name):
    with open(name) as file: return file.read()
for name in "ba": open(name, "w").write(name)
print(sorted("ba", key=read), list(map(read, "ab")), functools.reduce(lambda total, name: total + read(name), "ab", ""))
print(re.sub("[ab]", lambda found: read(found[0]) * 2, "xaby"))
class Prints:
    def __repr__(self): return read("a")
    def __del__(self): os.write(1, b"gone\\n")
    def __eq__(self, other): return read("b") == "b"
    def __hash__(self): return len(read("a"))
print([Prints()], Prints() in {Prints()})
with sqlite3.connect("data.db") as base:
    base.execute("create table t (x)")
    base.create_function("content", 1, read)
    print(base.execute("select content(column1) from (values ('a'), ('b'))").fetchall())
print(os.path.getsize("data.db") > 0, sorted(entry.name for entry in os.scandir(".") if entry.is_file() and len(entry.name) == 1))
`
    const ran = await opened.sh(
      `rm -rf t; mkdir t; cd t; python3 -u - <<'EOF'${code}EOF\nstatus=$?; cd ..; exit $status`,
    )
    expect(ran).toEqual(
      done("['a', 'b'] ['a', 'b'] ab\nxaabby\ngone\ngone\n[a] True\ngone\n[('a',), ('b',)]\nTrue ['a', 'b']\n"),
    )
  })

  test('children are commands of the shell', async () => {
    expect(
      await opened.python(
        'import subprocess\nprint(subprocess.run(["tr", "a-z", "A-Z"], input="abc", capture_output=True, text=True).stdout)\nprint(subprocess.check_output("seq 3 | tail -1", shell=True))\nprint(subprocess.run(["false"]).returncode)',
      ),
    ).toEqual(done("ABC\nb'3\\n'\n1\n"))
    expect(
      await opened.sh(`python3 -c 'import subprocess, sys; subprocess.run([sys.executable, "-c", "print(5)"])'`),
    ).toEqual(done('5\n'))
  })

  test('several run at once', async () => {
    expect(await opened.sh('for i in 1 2 3; do python3 -c "print($i)" & done | sort; wait')).toEqual(done('1\n2\n3\n'))
  })

  test('what is too long ends, and what it wrote is there', async () => {
    const loop = 'open("kept", "w").write("x" * 100_000)\nwhile True: pass'
    expect(await opened.sh(`python3 -c '${loop}'`, 3000)).toMatchObject({ exitCode: 124 })
    expect(await opened.sh('wc -c < kept; python3 -c "print(2)"')).toEqual(done('100000\n2\n'))
  })

  test('what needs too much memory gets an error of Python', async () => {
    const ran = await opened.python(
      'held = []\ntry:\n  while True: held.append(bytearray(16 << 20))\nexcept MemoryError: print(len(held) > 10)',
    )
    expect(ran).toEqual(done('True\n'))
    const bomb = await opened.python('held = []\nwhile True: held.append(bytearray(16 << 20))')
    expect(bomb).toMatchObject({ exitCode: 1 })
    expect(bomb.stderr).toMatch(/MemoryError\n$/)
    expect(await opened.python('print(3)')).toEqual(done('3\n'))
  })

  test('calls without end are an error, and others go on', async () => {
    const deep = await opened.python('def f(n): return max([n], key=lambda _: f(n + 1))\nf(0)')
    expect(deep.exitCode).not.toBe(0)
    expect(deep.stderr).toMatch(/RecursionError|Stack overflow/)
    expect(await opened.python('print(4)')).toEqual(done('4\n'))
  })
})

test('on a clock of its own a program repeats itself, and waits for nothing', async () => {
  const code = `import os, random, subprocess, time, zoneinfo
print(time.time(), time.localtime().tm_hour, time.monotonic(), random.random(), os.urandom(4).hex())
time.sleep(30)
subprocess.run(["sleep", "60"])
print(int(time.time()), time.strftime("%H:%M %Z"), time.tzname)`
  const runs: unknown[] = []
  for (let run = 0; run < 2; run += 1) {
    await opened.files({}, true)
    runs.push(await opened.sh(`TZ=Europe/Berlin python3 -c '${code}'`))
  }
  expect(runs[1]).toEqual(runs[0])
  expect(runs[0]).toMatchObject({
    exitCode: 0,
    stderr: '',
    stdout: expect.stringMatching(/^1700000000\.\d+ 23 .*\n170000009\d 23:14 CET \('CET', 'CEST'\)\n$/),
  })
  await opened.files({})
})

test.skipIf(!hasPytest)('pytest, where its package lies in the tree', async () => {
  const files = {
    'sum.py': 'def add(a, b):\n    return a - b\n',
    'test_sum.py':
      'from sum import add\n\n\ndef test_add(tmp_path):\n    (tmp_path / "a").write_text("x")\n    assert add(2, 3) == 5\n',
  }
  await opened.files({ ...files, ...installedPackages() })
  const failed = await opened.sh('PYTHONPATH=lib pytest -q -p no:cacheprovider')
  expect(failed).toMatchObject({ exitCode: 1 })
  expect(failed.stdout).toContain('assert -1 == 5')
  const mended = await opened.sh("sed -i 's/a - b/a + b/' sum.py && PYTHONPATH=lib pytest -q -p no:cacheprovider")
  expect(mended).toMatchObject({ exitCode: 0 })
  expect(mended.stdout).toContain('1 passed')
})

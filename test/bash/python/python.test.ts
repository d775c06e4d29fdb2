import { describe, expect, test } from 'vitest'
import { pythonBash } from './bash.js'

const timeout = 120_000

describe('what is run', { timeout }, () => {
  const { sh, python } = pythonBash()

  test.each([
    ['code', `python3 -c 'import sys; print(sys.argv)' a b`, "['-c', 'a', 'b']\n"],
    ['a file', `echo 'import sys; print(sys.argv, __name__)' > a.py; python3 a.py x`, "['a.py', 'x'] __main__\n"],
    ['the input', `echo 'print(__name__)' | python3`, '__main__\n'],
    ['the input, by name', `echo 'import sys; print(sys.argv)' | python3 - x`, "['-', 'x']\n"],
    [
      'a module',
      `mkdir -p m; echo 'import sys; print(len(sys.argv), __name__)' > m/__main__.py; python3 -m m x`,
      '2 __main__\n',
    ],
    ['a directory', `mkdir -p dir; echo 'print(__name__)' > dir/__main__.py; python3 dir`, '__main__\n'],
    ['a script', `printf '#!/usr/bin/env python3\\nprint(1)\\n' > s; chmod +x s; ./s`, '1\n'],
    ['the version', 'python --version; python3 -V', 'Python 3.14.2\nPython 3.14.2\n'],
    ['without assertions', `python3 -O -c 'assert 0; print(__debug__)'`, 'False\n'],
  ])('%s', async (_, script, stdout) => {
    expect(await sh(script)).toEqual({ stdout, stderr: '', exitCode: 0 })
  })

  test('statuses are those of a process', async () => {
    expect(await python('import sys; sys.exit(3)')).toMatchObject({ exitCode: 3, stderr: '' })
    expect(await python('import sys; sys.exit("no")')).toMatchObject({ exitCode: 1, stderr: 'no\n' })
    expect(await python('1/0')).toMatchObject({
      exitCode: 1,
      stderr:
        'Traceback (most recent call last):\n  File "<string>", line 1, in <module>\n    1/0\n    ~^~\nZeroDivisionError: division by zero\n',
    })
    expect(await python('import os; os._exit(7)')).toMatchObject({ exitCode: 7 })
    expect(await sh('python3 nothing.py')).toMatchObject({
      exitCode: 2,
      stderr: "/usr/bin/python3: can't open file '/nothing.py': [Errno 2] No such file or directory\n",
    })
    expect(await sh('python3 -m nothing')).toMatchObject({
      exitCode: 1,
      stderr: '/usr/bin/python3: No module named nothing\n',
    })
  })

  test('an interactive Python reads commands from its input, after a program or in its place', async () => {
    expect(await sh(`printf 'def f():\\n  return x\\n\\nf()\\n1/0\\n' | python3 -i -c 'x = 5'`)).toEqual({
      stdout: '5\n',
      stderr:
        '>>> ... ... >>> >>> Traceback (most recent call last):\n  File "<stdin>", line 1, in <module>\n    1/0\n    ~^~\nZeroDivisionError: division by zero\n>>> \n',
      exitCode: 0,
    })
    expect(await sh(`printf '1 + 1\\nexit(3)\\n' | python3 -q -i -c 'import sys; sys.exit(4)'`)).toEqual({
      stdout: '2\n',
      stderr:
        'Traceback (most recent call last):\n  File "<string>", line 1, in <module>\n    import sys; sys.exit(4)\n                ~~~~~~~~^^^\nSystemExit: 4\n>>> >>> ',
      exitCode: 3,
    })
    const greeted = await sh('echo 1 + 1 | python3 -i')
    expect([greeted.stdout, greeted.stderr.split('\n').slice(1).join('\n')]).toEqual([
      '2\n',
      'Type "help", "copyright", "credits" or "license" for more information.\n>>> >>> \n',
    ])
    expect((await sh('echo 1 + 1 | PYTHONINSPECT=1 python3 -q -')).stderr).toBe('>>> >>> \n')
  })

  test('the first line of a file can be none of Python', async () => {
    expect(
      await sh(`printf 'goto x\\nimport sys\\nprint(__file__, sys._getframe().f_lineno)\\n' > s; python3 -x s`),
    ).toEqual({
      stdout: '/s 3\n',
      stderr: '',
      exitCode: 0,
    })
    expect(await sh(`printf 'goto\\n1 +\\n' > s; python3 -x s`)).toMatchObject({
      stderr: '  File "/s", line 2\n    1 +\n       ^\nSyntaxError: invalid syntax\n',
      exitCode: 1,
    })
  })

  test('the debugger takes its commands from the input', async () => {
    await sh(`printf 'def f(x):\\n    return x + 1\\n\\nprint(f(1))\\n' > d.py`)
    expect((await sh(`printf 'b f\\nc\\np x\\nc\\nq\\n' | python3 -m pdb d.py`)).stdout).toBe(
      `> /d.py(1)<module>()
-> def f(x):
(Pdb) Breakpoint 1 at /d.py:2
(Pdb) > /d.py(2)f()
-> return x + 1
(Pdb) 1
(Pdb) 2
The program finished and will be restarted
> /d.py(1)<module>()
-> def f(x):
(Pdb) \n`.trimEnd() + ' ',
    )
  })

  test('code of an argument may be indented as a whole', async () => {
    expect((await sh(`python3 -c '\n  x = 1\n  print(x)\n'`)).stdout).toBe('1\n')
  })

  test('options that are missing are refused by name', async () => {
    expect((await sh('python3 -Z')).exitCode).toBe(2)
    expect((await sh('python3 -Z')).stderr).toContain('Unknown option: -Z')
  })

  test('variables, paths and settings of the environment', async () => {
    expect(
      (await sh(`mkdir -p lib; echo 'x = 5' > lib/own.py; PYTHONPATH=lib python3 -c 'import own; print(own.x)'`))
        .stdout,
    ).toBe('5\n')
    expect((await sh(`A=b python3 -c 'import os; print(os.environ["A"], os.getenv("C"))'`)).stdout).toBe('b None\n')
    expect((await sh(`python3 -W error -c 'import warnings; warnings.warn("w")'`)).stderr).toContain('UserWarning: w')
    expect(
      (await sh(`PYTHONHASHSEED=1 python3 -c 'print(hash("a"))'; PYTHONHASHSEED=2 python3 -c 'print(hash("a"))'`))
        .stdout,
    ).toMatch(/^(-?\d+)\n(?!\1\n)-?\d+\n$/)
  })

  test('input and output go through the shell', async () => {
    expect(
      (await sh(`seq 3 | python3 -c 'import sys\nfor line in sys.stdin: print(int(line) * 2)' | tail -1`)).stdout,
    ).toBe('6\n')
    expect((await sh(`python3 -c 'print("x" * 10**6)' | head -c 3`)).stdout).toBe('xxx')
    expect((await sh(`python3 -c 'import sys; print(1); print(2, file=sys.stderr)' 2>&1 >/dev/null`)).stdout).toBe(
      '2\n',
    )
    expect((await sh(`printf 'a\\nb\\n' > two; python3 -c 'print(input(), input())' < two`)).stdout).toBe('a b\n')
  })
})

describe('what a program sees', { timeout }, () => {
  const { sh, python } = pythonBash()

  test('it is a Linux, and the user of the shell', async () => {
    expect((await python('import sys, os; print(sys.platform, os.name, os.getuid(), os.uname().sysname)')).stdout).toBe(
      'linux posix 1000 Linux\n',
    )
    expect((await python('import getpass, pwd; print(pwd.getpwuid(1000).pw_name)')).stdout).toBe('user\n')
  })

  test('errors have the words and numbers of Linux', async () => {
    const code = `
import os
for call in (lambda: open('none'), lambda: os.mkdir('there'), lambda: os.rmdir('full'), lambda: open('there'), lambda: os.listdir('file'),
             lambda: os.rename('none', 'x'), lambda: os.readlink('file'), lambda: os.rmdir('file'), lambda: os.remove('there')):
    try: call()
    except OSError as error: print(type(error).__name__, error)`
    await sh('mkdir -p there full/x; touch file')
    expect((await python(code)).stdout).toBe(
      `FileNotFoundError [Errno 2] No such file or directory: 'none'
FileExistsError [Errno 17] File exists: 'there'
OSError [Errno 39] Directory not empty: 'full'
IsADirectoryError [Errno 21] Is a directory: 'there'
NotADirectoryError [Errno 20] Not a directory: 'file'
FileNotFoundError [Errno 2] No such file or directory: 'none' -> 'x'
OSError [Errno 22] Invalid argument: 'file'
NotADirectoryError [Errno 20] Not a directory: 'file'
IsADirectoryError [Errno 21] Is a directory: 'there'
`,
    )
  })

  test('time has the zone of the shell', async () => {
    const code = 'import time; print(time.strftime("%H:%M %Z %z", time.localtime(0)), time.tzname)'
    expect((await sh(`TZ=Europe/Berlin python3 -c '${code}'`)).stdout).toBe("01:00 CET +0100 ('CET', 'CEST')\n")
    expect((await sh(`TZ=America/New_York python3 -c '${code}'`)).stdout).toBe("19:00 EST -0500 ('EST', 'EDT')\n")
    const back =
      'import time; print(time.mktime((2024, 7, 1, 12, 0, 0, 0, 0, -1)), time.mktime((2024, 13, 1, 0, 0, 0, 0, 0, -1)))'
    expect((await sh(`TZ=Europe/Berlin python3 -c '${back}'`)).stdout).toBe('1719828000.0 1735686000.0\n')
  })

  test('what is written is there for others, and what others write is seen', async () => {
    const code = `
import subprocess
with open('log', 'a') as file:
    file.write('one\\n'); file.flush()
    subprocess.run('cat log; echo two >> log', shell=True)
    file.write('three\\n')
print(open('log').read())`
    expect((await python(code)).stdout).toBe('one\none\ntwo\nthree\n\n')
    expect((await sh('cat log')).stdout).toBe('one\ntwo\nthree\n')
  })

  test('SQLite keeps its files in the tree', async () => {
    await python(
      'import sqlite3; c = sqlite3.connect("d.db"); c.execute("create table t(a)"); c.execute("insert into t values (5)"); c.commit()',
    )
    expect(
      (await python('import sqlite3; print(sqlite3.connect("d.db").execute("select a from t").fetchall())')).stdout,
    ).toBe('[(5,)]\n')
  })
})

describe('children', { timeout }, () => {
  const { python, sh } = pythonBash()

  test('are commands of the shell', async () => {
    const code = `
import subprocess, os
print(subprocess.run(['echo', 'a b'], capture_output=True, text=True))
print(subprocess.check_output('echo hi | tr h j', shell=True))
print(subprocess.run(['sh', '-c', 'echo out; echo err >&2; exit 4'], stdout=subprocess.PIPE, stderr=subprocess.STDOUT))
print(subprocess.run(['cat'], input='given', capture_output=True, text=True).stdout)
print(os.system('exit 3') >> 8, os.popen('echo p').read())
process = subprocess.Popen(['sort'], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
print(process.communicate('b\\na\\n'))
try: subprocess.run(['nothing-here'])
except FileNotFoundError as error: print(error)
try: subprocess.run('exit 2', shell=True, check=True)
except subprocess.CalledProcessError as error: print(error)
print(subprocess.run(['pwd'], cwd='/', env={'A': 'b'}, capture_output=True).stdout)
with open('sink', 'w') as sink: subprocess.run(['echo', 'to a file'], stdout=sink)
print(open('sink').read(), end='')`
    expect(await python(code)).toEqual({
      stdout: `CompletedProcess(args=['echo', 'a b'], returncode=0, stdout='a b\\n', stderr='')
b'ji\\n'
CompletedProcess(args=['sh', '-c', 'echo out; echo err >&2; exit 4'], returncode=4, stdout=b'out\\nerr\\n')
given
3 p

('a\\nb\\n', None)
[Errno 2] No such file or directory: 'nothing-here'
Command 'exit 2' returned non-zero exit status 2.
b'/\\n'
to a file
`,
      stderr: '',
      exitCode: 0,
    })
  })

  test('can be ended, and waited for in time', async () => {
    const code = `
import subprocess, signal
process = subprocess.Popen(['sleep', '100'])
print(process.poll())
try: process.wait(timeout=0.1)
except subprocess.TimeoutExpired as error: print('late')
process.terminate()
print(process.wait() == -signal.SIGTERM)
try: subprocess.run(['sleep', '100'], timeout=0.1, capture_output=True)
except subprocess.TimeoutExpired: print('late again')`
    expect(await python(code)).toEqual({ stdout: 'None\nlate\nTrue\nlate again\n', stderr: '', exitCode: 0 })
  })

  test('may be Python again', async () => {
    const code =
      'import subprocess, sys; print(subprocess.check_output([sys.executable, "-c", "print(1 + 1)"], text=True))'
    expect((await python(code)).stdout).toBe('2\n\n')
    expect((await sh(`echo 'import os; os.execvp("echo", ["echo", "replaced"])' | python3; echo $?`)).stdout).toBe(
      'replaced\n0\n',
    )
  })
})

describe('threads and loops', { timeout }, () => {
  const { python } = pythonBash()

  test('threads, pools, queues and events give what real ones can give', async () => {
    const code = `
import threading, queue, asyncio
from concurrent.futures import ThreadPoolExecutor
items, done = queue.Queue(), []
def consume():
    while (item := items.get()) is not None: done.append(item)
consumer = threading.Thread(target=consume)
consumer.start()
for number in range(3): items.put(number)
items.put(None)
consumer.join()
print(done, consumer.is_alive())
with ThreadPoolExecutor(4) as pool:
    print(list(pool.map(lambda x: x * x, range(5))), pool.submit(lambda: 1 / 0).exception())
event = threading.Event()
threading.Thread(target=event.set).start()
print(event.wait())
lock = threading.Lock()
lock.acquire()
print(lock.acquire(timeout=0.01))
threading.Timer(0.01, lock.release).start()
print(lock.acquire())
local = threading.local()
local.x = 1
thread = threading.Thread(target=lambda: print(hasattr(local, 'x'), threading.current_thread() is threading.main_thread()))
thread.start(); thread.join()
async def main():
    print(await asyncio.gather(asyncio.sleep(0.02, 'b'), asyncio.sleep(0.01, 'a'), asyncio.to_thread(lambda: 'c')))
    process = await asyncio.create_subprocess_exec('echo', 'child', stdout=asyncio.subprocess.PIPE)
    print(await process.communicate())
asyncio.run(main())`
    expect(await python(code)).toEqual({
      stdout: `[0, 1, 2] False
[0, 1, 4, 9, 16] division by zero
True
False
True
False False
['b', 'a', 'c']
(b'child\\n', None)
`,
      stderr: '',
      exitCode: 0,
    })
  })

  test('a wait that nothing can end fails at once, and says so', async () => {
    const { stderr, exitCode } = await python(
      'import threading; lock = threading.Lock(); lock.acquire(); lock.acquire()',
    )
    expect(stderr).toContain('RuntimeError: this Python runs one thread at a time')
    expect(exitCode).toBe(1)
  })
})

describe('bounds', { timeout }, () => {
  const { sh, python } = pythonBash()

  test('an endless loop ends with its time, and the next program runs', async () => {
    expect((await sh(`timeout 0.5 python3 -c 'while True: pass'; echo $?`)).stdout).toBe('124\n')
    expect((await sh(`python3 -c 'while True: pass'`, 500)).exitCode).toBe(124)
    expect((await python('print(1)')).stdout).toBe('1\n')
  })

  test('memory is bounded', async () => {
    const { stderr, exitCode } = await python('x = bytearray(2**31 - 2**20)')
    expect(stderr).toContain('MemoryError')
    expect(exitCode).toBe(1)
  })

  test('a Python that calls itself without end is killed, and others go on', async () => {
    await sh(
      `echo 'import subprocess, sys; sys.exit(subprocess.run([sys.executable, "again.py"]).returncode)' > again.py`,
    )
    const { stderr, exitCode } = await sh('python3 again.py')
    expect(stderr).toContain('out of memory')
    expect(exitCode).toBe(137)
    expect((await python('print(1)')).stdout).toBe('1\n')
  })

  test('deep recursion is an error of Python', async () => {
    expect(
      (await python('def f(n): return f(n + 1)\ntry: f(0)\nexcept RecursionError as error: print(error)')).stdout,
    ).toBe('maximum recursion depth exceeded\n')
  })

  test('a command that was killed leaves what it had written', async () => {
    const code = 'f = open("kept", "w"); f.write("x" * 200000); f.flush()\nwhile True: pass'
    await sh(`python3 -c '${code}'`, 1500)
    expect((await sh('wc -c < kept')).stdout).toBe('200000\n')
  })
})

describe('confinement', { timeout }, () => {
  const { python } = pythonBash()

  test.each(['js', 'pyodide', 'pyodide_js', '_pyodide_core', '_ctypes', 'ctypes'])(
    '%s can not be imported',
    async (name) => {
      const { stderr, exitCode } = await python(`import ${name}`)
      expect(stderr).toMatch(/ModuleNotFoundError|ImportError/)
      expect(exitCode).toBe(1)
    },
  )

  test('nothing leads to the host: no files, no names, no sockets, no libraries, no own types of the engine', async () => {
    const code = `
import os, sys, socket, gc, importlib.machinery
def tried(call):
    try: return repr(call())
    except BaseException as error: return type(error).__name__
print(tried(lambda: open('/etc/shadow').read()), tried(lambda: os.listdir('/proc/self')), tried(lambda: open('/proc/self/environ').read()))
print(tried(lambda: socket.gethostbyname('example.com')), tried(lambda: socket.create_connection(('127.0.0.1', 80))), tried(lambda: socket.create_connection(('10.0.0.1', 80))))
print(tried(lambda: importlib.machinery.ExtensionFileLoader('x', '/x.so').create_module(importlib.machinery.ModuleSpec('x', None, origin='/x.so'))))
print(sorted(name for name in sys.builtin_module_names if 'pyodide' in name or name == 'js'))
print([type(o) for o in gc.get_objects() if 'JsProxy' in type(o).__name__])
print(tried(lambda: setattr(int, 'x', 1)))
print(sorted(os.environ))`
    const { stdout } = await python(code)
    expect(stdout.split('\n')).toEqual([
      'FileNotFoundError FileNotFoundError FileNotFoundError',
      'gaierror ConnectionRefusedError OSError',
      'ImportError',
      '[]',
      '[]',
      'TypeError',
      expect.not.stringContaining('NODE'),
      '',
    ])
  })
})

describe('runs that can be repeated', { timeout }, () => {
  const fixed = () => ({ now: () => 1_700_000_000_000, random: () => 0.5 })
  const one = pythonBash(fixed())
  const other = pythonBash(fixed())

  test('clock, random numbers, hashes and children are the same', async () => {
    const code = `
import random, time, uuid, os, subprocess, tempfile
print(random.random(), uuid.uuid4(), os.urandom(4).hex(), time.time(), hash('a'), {'x', 'y', 'z'})
start = time.time(); time.sleep(20); print(time.time() - start >= 20)
print(subprocess.check_output(['date']), tempfile.mktemp())
while time.time() < start + 21: pass
print(time.time())`
    const results = await Promise.all([one, other].map(({ python }) => python(code)))
    expect(results[0]).toEqual(results[1])
    expect(results[0]?.stdout).toContain('True')
    expect(results[0]?.exitCode).toBe(0)
  })
})

import { expect, test } from 'vitest'
import { pythonBash } from './bash.js'

const timeout = 300_000
const { sh, python } = pythonBash()

/** Runs it as the main module, which the children import again. */
const main = (lines: string) => sh(`cat > main.py <<'EOF'\n${head}${lines}EOF\npython3 main.py`, timeout)

const head = `import multiprocessing as mp, os, sys, time
from concurrent.futures import ProcessPoolExecutor, as_completed
counter = 0
def square(x):
    global counter
    counter += 1
    return x * x
def add(a, b): return a + b
def bad(x): raise ValueError(f'bad {x}')
def printed(x):
    print('in a child', x, flush=True)
    os.write(1, b'to the descriptor\\n')
    return x
def begin(value):
    global base
    base = value
def based(x): return base + x
def leave(code):
    print('leaves', code)
    sys.exit(code)
def die(x): os._exit(9)
def name(x): return mp.current_process().name
`

test('pools run tasks in processes of their own', { timeout }, async () => {
  const { stdout, stderr } = await main(`if __name__ == '__main__':
    with mp.Pool(3) as pool:
        print(pool.map(square, range(10)), counter)
        print(pool.starmap(add, [(1, 2), (3, 4)]), pool.apply(add, (5, 6)), list(pool.imap(square, [3, 4])))
        print(sorted(pool.imap_unordered(square, [3, 4])), pool.map(square, []), set(pool.map(name, [1])) <= {f'ForkServerPoolWorker-{n}' for n in (1, 2, 3)})
        result = pool.map_async(square, [7])
        print(result.get(timeout=60), result.successful())
        try:
            pool.map(bad, [1])
        except ValueError as error:
            print('ValueError', error, type(error.__cause__).__name__)
        try:
            pool.map(lambda x: x, [1])
        except Exception as error:
            print(type(error).__name__)
        print(pool.apply_async(square, (9,), callback=lambda value: print('called back', value)).get())
        sys.stdout.flush()
        print(pool.map(printed, [1]))
    with mp.Pool(2, initializer=begin, initargs=(100,), maxtasksperchild=1) as pool:
        print(pool.map(based, [1, 2, 3], chunksize=1))
`)
  expect(stderr).toBe('')
  expect(stdout).toBe(`[0, 1, 4, 9, 16, 25, 36, 49, 64, 81] 0
[3, 7] 11 [9, 16]
[9, 16] [] True
[49] True
ValueError bad 1 RemoteTraceback
PicklingError
called back 81
81
in a child 1
to the descriptor
[1]
[101, 102, 103]
`)
})

test('a process runs a function and has a status', { timeout }, async () => {
  const { stdout, stderr } = await main(`if __name__ == '__main__':
    first = mp.Process(target=leave, args=(3,))
    first.start()
    first.join()
    print(first.exitcode, first.name, first.is_alive(), first.pid is not None)
    long = mp.Process(target=time.sleep, args=(100,))
    long.start()
    long.terminate()
    long.join()
    failing = mp.Process(target=bad, args=(1,))
    failing.start()
    failing.join()
    print(long.exitcode, failing.exitcode, mp.active_children())
`)
  expect(stdout).toBe('leaves 3\n3 Process-1 False True\n-15 1 []\n')
  expect(stderr).toContain('Process Process-3:\nTraceback (most recent call last):\n')
  expect(stderr).toContain('ValueError: bad 1\n')
})

test('an executor of processes gives futures', { timeout }, async () => {
  const { stdout, stderr } = await main(`if __name__ == '__main__':
    with ProcessPoolExecutor(max_workers=2) as executor:
        print(list(executor.map(square, range(5))))
        futures = [executor.submit(square, each) for each in range(4)]
        print(sorted(future.result() for future in as_completed(futures)))
        print(repr(executor.submit(bad, 1).exception()))
        print(type(executor.submit(die, 1).exception()).__name__)
`)
  expect(stderr).toBe('')
  expect(stdout).toBe("[0, 1, 4, 9, 16]\n[0, 1, 4, 9]\nValueError('bad 1')\nBrokenProcessPool\n")
})

test('what would have to be shared is refused by name', { timeout }, async () => {
  const names = ['Queue', 'Pipe', 'Lock', 'Value', 'Manager', 'Event']
  const { stdout } = await python(`import multiprocessing
for name in ${JSON.stringify(names)}:
    try:
        getattr(multiprocessing, name)('i')
    except NotImplementedError as error:
        print(str(error).split(':')[0])
try:
    multiprocessing.get_context('fork').Process(target=print).start()
except NotImplementedError as error:
    print(str(error).split(':')[0])`)
  expect(stdout.split('\n')).toEqual([
    ...names.map((name) => `multiprocessing.${name} is not supported by this Python`),
    "multiprocessing.get_context('fork') is not supported by this Python",
    '',
  ])
})

/** What Python needs of a page, and what it leaves there. */
import { expect, test } from 'vitest'
import { roomPage } from '../room/room-page.js'

test('a browser that can not suspend WebAssembly is told so, and nothing is loaded', async () => {
  const opened = await roomPage({ before: 'delete WebAssembly.Suspending' })
  try {
    expect(await opened.python('print(1)')).toEqual({
      stdout: '',
      stderr:
        'python3: Python needs a browser that can suspend WebAssembly (JSPI), as Chrome and Edge can from version 137\n',
      exitCode: 127,
    })
    expect(await opened.sh('python3 -V; echo on')).toMatchObject({ stdout: 'Python 3.14.2\non\n', exitCode: 0 })
    expect([...opened.asked.keys()].filter((path) => path.startsWith('/python/'))).toEqual([])
  } finally {
    await opened.close()
  }
})

test('a page without the files of Python is told which are missing', async () => {
  const opened = await roomPage({ without: /pyodide/ })
  try {
    const { stderr, exitCode } = await opened.python('print(1)')
    expect(exitCode).toBe(127)
    expect(stderr).toMatch(
      /^python3: Python's files are not where this page has them: http:\/\/127\.0\.0\.1:\d+\/python\/pyodide\.asm\.wasm \(404\); .*pyodide@314\.0\.7\n$/,
    )
    expect(await opened.sh('pip list')).toMatchObject({ exitCode: 127 })
    expect(await opened.sh('echo on')).toMatchObject({ stdout: 'on\n', exitCode: 0 })
  } finally {
    await opened.close()
  }
})

test('a page that answers for a missing file is no engine', async () => {
  const opened = await roomPage({ instead: /wasm/ })
  try {
    const { stderr, exitCode } = await opened.python('print(1)')
    expect([exitCode, stderr]).toEqual([127, expect.stringContaining('pyodide.asm.wasm (which is no WebAssembly)')])
  } finally {
    await opened.close()
  }
})

test('nothing is loaded before the first, and a second visit finds the started Python in the storage', async () => {
  const opened = await roomPage()
  const ofPython = () => [...opened.asked.keys()].filter((path) => path.startsWith('/python/')).sort()
  const timed = async () => {
    const began = performance.now()
    expect(await opened.python('print(1)')).toMatchObject({ stdout: '1\n', exitCode: 0 })
    return Math.round(performance.now() - began)
  }
  const images = () =>
    opened.page.evaluate(async () => {
      const cache = await caches.open('polyfs-python')
      const kept = await Promise.all((await cache.keys()).map(async (key) => (await cache.match(key))?.blob()))
      return kept.map((blob) => blob?.size ?? 0)
    })
  try {
    await opened.sh('echo 1')
    expect(ofPython()).toEqual([])
    const first = await timed()
    expect(ofPython()).toEqual([
      '/python/frame.html',
      '/python/pyodide.asm.wasm',
      '/python/python_stdlib.zip',
      '/python/thread.js',
    ])
    expect(ofPython().reduce((sum, path) => sum + (opened.asked.get(path) ?? 0), 0)).toBeLessThan(12_500_000)
    const [image = 0] = await images()
    expect(image).toBeGreaterThan(10_000_000)
    await opened.again()
    const second = await timed()
    expect(second).toBeLessThan(first)
    // What was damaged is made again.
    await opened.page.evaluate(async () => {
      const cache = await caches.open('polyfs-python')
      const [key] = await cache.keys()
      const bytes = new Uint8Array((await (await cache.match(key as Request))?.arrayBuffer()) as ArrayBuffer)
      bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] as number) ^ 1
      await cache.put(key as Request, new Response(bytes))
    })
    await opened.again()
    expect(await timed()).toBeGreaterThan(second)
  } finally {
    await opened.close()
  }
})

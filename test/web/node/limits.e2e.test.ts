/** What ends a script on the browser's own engine, and where another engine takes its place. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { longTest } from '../../scale.js'
import { isolating, type RoomPage, roomPage } from '../room/room-page.js'

/** Only the browser's own engine has it. */
const isNative = "console.log(typeof TEMPORARY === 'number')"
const asks = (opened: RoomPage) => [...opened.asked.keys()].filter((path) => path.startsWith('/node/')).sort()

describe('a page that is isolated', () => {
  let opened: RoomPage

  beforeAll(async () => {
    opened = await roomPage({ headers: isolating })
  })

  afterAll(() => opened?.close())

  test('loads nothing for it before the first script', async () => {
    expect(await opened.sh('echo a; node --version')).toMatchObject({ stdout: 'a\nv20.20.2\n' })
    expect(asks(opened)).toEqual([])
    expect(await opened.sh(`node -e "${isNative}"`)).toEqual({ stdout: 'true\n', stderr: '', exitCode: 0 })
    expect(asks(opened)).toEqual(['/node/frame.html', '/node/thread.js'])
  })

  test('an endless loop ends with its command, which keeps what it wrote and printed', async () => {
    const loop = "require('fs').writeFileSync('kept', 'x'.repeat(100000)); console.log('begun'); for (;;);"
    expect(await opened.sh(`node -e "${loop}"`, 3000)).toMatchObject({ stdout: 'begun\n', exitCode: 124 })
    expect(await opened.sh(`timeout 4 node -e "${loop}"; echo $?`)).toMatchObject({ stdout: 'begun\n124\n' })
    const endless = 'Promise.resolve().then(function again() { return Promise.resolve().then(again) })'
    expect(await opened.sh(`timeout 4 node -e "${endless}"; echo $?; wc -c < kept`)).toMatchObject({
      stdout: '124\n100000\n',
    })
    expect(await opened.sh(`node -e "for (;;) console.log(1)" | head -1`)).toMatchObject({ stdout: '1\n' })
  })

  test('calls that nest too deep are an error of the script, and several run beside each other', async () => {
    const deep = 'function f() { f() } try { f() } catch (error) { console.log(error.name) }'
    expect(await opened.sh(`node -e "${deep}"`)).toMatchObject({ stdout: 'RangeError\n' })
    const beside = 'for i in 1 2 3; do node -p "$i" & done | sort; wait'
    expect(await opened.sh(beside)).toEqual({ stdout: '1\n2\n3\n', stderr: '', exitCode: 0 })
  })

  test('a script has the time zone of its command', async () => {
    const code =
      'const d = new Date(2024, 2, 10, 2, 30); console.log(String(d), d.getHours(), d.toISOString(), new Date(`2024-07-01T00:00`).getTime())'
    expect(await opened.sh(`TZ=America/New_York node -e '${code}'`)).toMatchObject({
      stdout: 'Sun Mar 10 2024 03:30:00 GMT-0400 (Eastern Daylight Time) 3 2024-03-10T07:30:00.000Z 1719806400000\n',
    })
  })

  test('a workspace with a clock of its own has the engine whose runs can be repeated', async () => {
    await opened.files({}, true)
    expect(await opened.sh(`node -e "${isNative}; console.log(Date.now() < 1_800_000_000_000)"`)).toMatchObject({
      stdout: 'false\ntrue\n',
    })
    await opened.files({})
  })

  longTest(
    'where memory runs out, the frame ends, and the page goes on',
    async () => {
      // What drives the browser takes the end of a frame for that of the page, so the page itself reports.
      const bomb = 'const held = []; for (;;) held.push(new Array(1e6).fill(held.length))'
      await opened.page.evaluate((code) => {
        const { bash } = globalThis as unknown as { bash: { exec(script: string): Promise<{ exitCode: number }> } }
        const report = (what: unknown) => fetch(`/report/${what}`).catch(() => {})
        void bash.exec(`node -e "${code}"`).then(async ({ exitCode }) => {
          await report(`first-${exitCode}`)
          await report(`second-${(await bash.exec("node -p 'process.exitCode = 7'")).exitCode}`)
        })
      }, bomb)
      await expect
        .poll(() => [...opened.asked.keys()].filter((path) => path.startsWith('/report/')), {
          timeout: 180_000,
          interval: 500,
        })
        .toEqual(['/report/first-137', '/report/second-7'])
    },
    { timeout: 200_000 },
  )
})

test.each([
  ['that is not isolated', { headers: {} }, []],
  [
    'whose site has no files for it',
    { headers: isolating, without: /^\/node\// },
    ['/node/frame.html', '/node/thread.js'],
  ],
  ['whose site sends a page for them', { headers: isolating, instead: /^\/node\// }, []],
])('a page %s has the engine that runs everywhere', async (_, options, asked) => {
  const opened = await roomPage(options)
  try {
    expect(await opened.sh(`node -e "${isNative}"; node -p 6*7`)).toEqual({
      stdout: 'false\n42\n',
      stderr: '',
      exitCode: 0,
    })
    expect(asks(opened)).toEqual(asked)
  } finally {
    await opened.close()
  }
})

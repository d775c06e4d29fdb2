import { describe, expect, test } from 'vitest'
import {
  describeFormat,
  encodeAsUtf8,
  encodeEdits,
  type FileText,
  openFileText,
} from '../../../playground/editor/file-text.js'
import { pathAfter } from '../../../playground/editor/follow-moves.js'
import type { ChangeRecord, Image, Step } from '../../../src/change/journal/record.js'
import type { TextEncoding } from '../../../src/text/decode/detect.js'
import { encodeAs } from '../../../src/text/decode/shown-text.js'
import { replaceSpans, type Span } from '../../../src/text/spans.js'
import { type Random, randomFrom } from '../../core/search/generated-trees.js'
import { scaled } from '../../scale.js'

const encode = (text: string) => new TextEncoder().encode(text)
const utf8 = (bytes: Uint8Array) => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)

function opened(bytes: Uint8Array): FileText {
  const file = openFileText(bytes)
  if (file === undefined) throw new Error('binary')
  return file
}

function edited(file: FileText, ...spans: Span[]): FileText {
  const result = encodeEdits(file, spans)
  if (!('saved' in result)) throw new Error(JSON.stringify(result))
  return result.saved
}

/** The spans that turn one text into another: what differs in the middle. */
function toText(file: FileText, text: string): FileText {
  return edited(file, { start: 0, end: file.text.length, text })
}

describe('the text of an open file', () => {
  test('keeps CRLF, also of new lines', () => {
    const file = opened(encode('one\r\ntwo\r\n'))
    expect(file.text).toBe('one\ntwo\n')
    expect(describeFormat(file)).toBe('UTF-8 · CRLF')
    expect(utf8(edited(file, { start: 0, end: 0, text: 'X' }).bytes)).toBe('Xone\r\ntwo\r\n')
    expect(utf8(edited(file, { start: 4, end: 4, text: 'new\n' }).bytes)).toBe('one\r\nnew\r\ntwo\r\n')
    const joined = edited(opened(encode('one\r\ntwo')), { start: 3, end: 4, text: '' })
    expect(utf8(edited(joined, { start: 3, end: 3, text: '\n' }).bytes)).toBe('one\r\ntwo')
  })

  test('keeps mixed line endings, each where it is, also after an undo in the editor', () => {
    const mixed = 'a\r\nb\nc\rd\r\n'
    const file = opened(encode(mixed))
    expect(describeFormat(file)).toBe('UTF-8 · mixed line endings')
    expect(utf8(edited(file, { start: 4, end: 5, text: 'C' }, { start: 6, end: 7, text: 'D' }).bytes)).toBe(
      'a\r\nb\nC\rD\r\n',
    )
    const shorter = edited(file, { start: 1, end: 6, text: '' })
    expect(utf8(shorter.bytes)).toBe('ad\r\n')
    expect(utf8(toText(shorter, file.text).bytes)).toBe(mixed)
  })

  test('does not join a CR and an LF when what was between them is deleted', () => {
    const file = opened(encode('a\rX\nb'))
    const saved = edited(file, { start: 2, end: 3, text: '' })
    expect(opened(saved.bytes).text).toBe('a\n\nb')
  })

  test('keeps other line endings when the nearest one does not fit', () => {
    const file = opened(encode('é\r😀\nxétwo\rlinesa\r\n'))
    const spans = [
      { start: 1, end: 4, text: '\n' },
      { start: 9, end: 12, text: '\n\n' },
    ]
    const saved = edited(file, ...spans)
    expect(saved.text).toBe('é\n\nxétw\n\ninesa\n')
    expect(utf8(saved.bytes)).toMatch(/inesa\r\n$/)
  })

  test('keeps the encoding, asks for one that has the character, and can change to UTF-8', () => {
    const file = opened(Uint8Array.of(0x63, 0x61, 0x66, 0xe9, 0x0d, 0x0a))
    expect(file.text).toBe('café\n')
    expect(describeFormat(file)).toBe('Windows-1252 · CRLF')
    expect([...edited(file, { start: 0, end: 1, text: 'Ü' }).bytes]).toEqual([0xdc, 0x61, 0x66, 0xe9, 0x0d, 0x0a])
    const arrow = { start: 0, end: 0, text: '→' }
    expect(encodeEdits(file, [arrow])).toEqual({ unencodable: '→' })
    const asUtf8 = encodeAsUtf8(file, [arrow])
    expect(utf8(asUtf8.bytes)).toBe('→café\r\n')
    expect(describeFormat(asUtf8)).toBe('UTF-8 · CRLF')
    expect(encodeEdits(file, [{ start: 3, end: 4, text: 'Ã©' }])).toEqual({
      readsAs: { encoding: 'utf-8', bom: false },
    })
    // Without the only character that showed the encoding, it is still the same file.
    const plain = edited(file, { start: 3, end: 4, text: 'e' })
    expect([...edited(plain, { start: 3, end: 4, text: 'é' }).bytes]).toEqual([...file.bytes])
  })

  test('keeps byte-order marks, UTF-16 and stray bytes', () => {
    for (const format of [
      { encoding: 'utf-8', bom: true },
      { encoding: 'utf-16le', bom: true },
      { encoding: 'utf-16be', bom: true },
      { encoding: 'utf-16le', bom: false },
    ] as const) {
      const bytes = encodeAs('word ü\r\nmore 😀\r\n', format) as Uint8Array
      const saved = edited(opened(bytes), { start: 5, end: 6, text: '→' })
      expect([...saved.bytes]).toEqual([...(encodeAs('word →\r\nmore 😀\r\n', format) as Uint8Array)])
    }
    const stray = Uint8Array.of(...encode('grün, schön, '), 0xe9, ...encode(' end\n'))
    const file = opened(stray)
    expect(file.text).toBe('grün, schön, é end\n')
    const saved = edited(file, { start: 0, end: 0, text: '→ ' })
    expect([...saved.bytes]).toEqual([...encode('→ '), ...stray])
  })

  test('is not there for a binary file', () => {
    expect(openFileText(Uint8Array.of(1, 0, 2, 0, 0, 255))).toBeUndefined()
  })

  test('after random edits is what was typed, and the bytes around each edit stay', () => {
    const random = randomFrom(11)
    for (let round = 0; round < scaled(4000); round += 1) {
      const format = pick<{ encoding: TextEncoding; bom: boolean }>(random, [
        { encoding: 'utf-8', bom: false },
        { encoding: 'utf-8', bom: true },
        { encoding: 'utf-16le', bom: true },
        { encoding: 'utf-16be', bom: true },
        { encoding: 'windows-1252', bom: false },
      ])
      const content = Array.from({ length: 1 + random(8) }, () => line(random)).join('')
      const bytes = encodeAs(
        format.encoding === 'windows-1252' ? `é é é ${content.replaceAll('😀', 'x')}` : content,
        format,
      )
      if (!(bytes instanceof Uint8Array)) throw new Error('not encoded')
      let file = opened(bytes)
      for (let edit = 0; edit < 4; edit += 1) {
        const spans = randomSpans(random, file.text)
        const wanted = replaceSpans(file.text, spans)
        const result = encodeEdits(file, spans)
        if ('unencodable' in result || 'readsAs' in result) break
        const { saved } = result
        expect(saved.text).toBe(wanted)
        expect(opened(saved.bytes).text).toBe(wanted)
        expect(saved.shown.format).toEqual(file.shown.format)
        expectBytesAround(file, saved, spans)
        file = saved
      }
    }
  })
})

/** Before the first span and after the last, except where a CR and an LF would have become one line ending. */
function expectBytesAround(before: FileText, after: FileText, spans: readonly Span[]): void {
  const [first, last] = [spans[0], spans.at(-1)]
  if (first === undefined || last === undefined) return
  const head = lengthInFile(before.shown.text, first.start)
  const tail = before.shown.text.length - lengthInFile(before.shown.text, last.end)
  const [old, now] = [before.shown.text, after.shown.text]
  const isJoined = /[\r\n]/.test(old.slice(head - 1, head)) || /[\r\n]/.test(old.slice(old.length - tail)[0] ?? '')
  if (isJoined || after.earlier.some(({ text }) => text === after.text)) return
  expect(now.slice(0, head)).toBe(old.slice(0, head))
  if (tail > 0) expect(now.slice(-tail)).toBe(old.slice(-tail))
}

/** How much of the text is before an offset of what is shown. Slow and plain. */
function lengthInFile(text: string, offset: number): number {
  let at = 0
  for (let shown = 0; shown < offset; shown += 1) at += text.startsWith('\r\n', at) ? 2 : 1
  return at
}

function line(random: Random): string {
  return pick(random, ['', 'a', 'word and word', 'ü', '😀', 'é']) + pick(random, ['\n', '\r\n', '\r', '\r\n', ''])
}

function randomSpans(random: Random, text: string): Span[] {
  const spans: Span[] = []
  for (let at = 0; spans.length < 3; ) {
    const start = at + random(8)
    const end = start + random(4)
    if (end > text.length) break
    const inserted = pick(random, ['', 'x', '\n', 'new\n', '\n\n', 'ö', 'two\nlines'])
    // Editors never split a character.
    if (text.slice(start, end).isWellFormed() && text.slice(0, start).isWellFormed()) {
      spans.push({ start, end, text: inserted })
    }
    at = end + 1
  }
  return spans
}

function pick<Item>(random: Random, items: readonly [Item, ...Item[]]): Item {
  return items[random(items.length)] ?? items[0]
}

describe('the path of a file after a change', () => {
  const absent: Image = { kind: 'absent' }
  const content = (hash: string): Image => ({ kind: 'file', hash, size: 1 })
  const set = (path: string, before: Image, after: Image): Step => ({ do: 'set', path, before, after })
  const record = (...steps: Step[]): ChangeRecord => ({ id: '1', label: '', atMs: 0, steps, undoable: true })

  test('follows a file and a directory above it', () => {
    const moved = record(set('/b.txt', absent, content('x')), set('/a.txt', content('x'), absent))
    expect(pathAfter('/a.txt', moved)).toBe('/b.txt')
    expect(pathAfter('/b.txt', moved)).toBe('/b.txt')
    const directory: Step = { do: 'rename', path: '/src', to: '/lib', before: { kind: 'directory' }, replaces: absent }
    expect(pathAfter('/src/in/a.ts', record(directory))).toBe('/lib/in/a.ts')
    expect(pathAfter('/src2/a.ts', record(directory))).toBe('/src2/a.ts')
  })

  test('of several places with the content, is the one with the same name', () => {
    const steps = [
      set('/c/x', absent, content('1')),
      set('/c/a', absent, content('1')),
      set('/a', content('1'), absent),
    ]
    expect(pathAfter('/a', record(...steps))).toBe('/c/a')
  })

  test('is the same when the file is deleted, or was there already', () => {
    expect(pathAfter('/a', record(set('/a', content('1'), absent)))).toBe('/a')
    const untouched = record(
      set('/a', content('1'), absent),
      set('/b', content('1'), { ...content('1'), mode: 0o755 } as Image),
    )
    expect(pathAfter('/a', untouched)).toBe('/a')
  })
})

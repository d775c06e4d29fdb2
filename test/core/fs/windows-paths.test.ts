/** Paths of Windows, in and out, without Windows. */
import { win32 } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkVirtual } from '../../../node/disk/anchor.js'
import { hostRules, toHost, toVirtual } from '../../../node/disk/host-path.js'
import { FsError, type PathFault } from '../../../src/errors.js'
import { memory } from '../../../src/fs/backends/memory.js'
import { mount } from '../../../src/fs/backends/mount.js'
import { confine } from '../../../src/fs/gate/confine.js'
import { windowsRules, windowsRulesFor } from '../../../src/fs/path-rules.js'
import type { FileSystem } from '../../../src/fs/types.js'

const names = fc
  .string({
    unit: fc.constantFrom('a', 'Z', '0', ' ', '.', '-', 'é', '[', '}', ',', '!', '😀'),
    minLength: 1,
    maxLength: 8,
  })
  .filter((name) => !/[. ]$|~\d/.test(name))

describe('out and in', () => {
  test('what is printed is read back as the same path, and is what Node calls normalised', () => {
    fc.assert(
      fc.property(fc.constantFrom('C:', 'Z:'), fc.array(names, { maxLength: 5 }), (drive, components) => {
        const path = `/${[drive, ...components].join('/')}`
        const printed = windowsRules.print?.(path) ?? ''
        expect(win32.normalize(printed)).toBe(printed)
        expect(win32.isAbsolute(printed)).toBe(true)
        expect(windowsRules.parse(printed)).toEqual({ absolute: true, components: [drive, ...components] })
        expect(toVirtual(printed, 'win32')).toBe(path)
        expect(toHost(path, 'win32')).toBe(printed)
      }),
    )
  })

  test.each([
    ['/C:', 'C:\\'],
    ['/C:/a/b c', 'C:\\a\\b c'],
    ['/UNC/server/share/a', '\\\\server\\share\\a'],
    ['a/b', 'a/b'],
    ['C:\\a', 'C:\\a'],
    ['/etc/passwd', '/etc/passwd'],
    ['.', '.'],
  ])('%s is printed as %s', (path, printed) => {
    expect(windowsRules.print?.(path)).toBe(printed)
  })

  test.each([
    ['c:\\work\\', '/C:/work'],
    ['C:\\', '/C:'],
    ['\\\\?\\C:\\long\\path', '/C:/long/path'],
    ['\\\\server\\share\\a', '/UNC/server/share/a'],
    ['\\\\?\\UNC\\server\\share\\a', '/UNC/server/share/a'],
  ])('the directory %s of the host is %s', (host, virtual) => {
    expect(toVirtual(host, 'win32')).toBe(virtual)
  })

  test('on other hosts paths are the same inside and outside', () => {
    expect(toVirtual('/C:/a', 'linux')).toBe('/C:/a')
    expect(toHost('/C:/a', 'darwin')).toBe('/C:/a')
    expect(hostRules(['/UNC/server/share'], 'linux').print).toBeUndefined()
  })
})

describe('network shares', () => {
  const rules = windowsRulesFor(['/UNC/Server/Share/project', '/C:/work'])

  test('the share of a root is understood, with either slash and in any case', () => {
    for (const path of [
      '\\\\server\\share\\project\\a',
      '//SERVER/SHARE/project/a',
      '\\\\server/share\\.\\project\\a',
    ]) {
      expect(rules.parse(path).components.slice(3)).toEqual(['project', 'a'])
    }
  })

  test.each([
    ['another server', '\\\\evil\\share\\project'],
    ['another share', '\\\\server\\other\\project'],
    ['a share whose name begins the same', '\\\\server\\share2\\project'],
    ['above the share', '\\\\server\\share\\..\\other'],
    ['above the share, later', '\\\\server\\share\\a\\..\\..\\other'],
    ['a server alone', '\\\\server'],
  ])('%s is refused', (_what, path) => {
    expect(() => rules.parse(path)).toThrow(new FsError('INVALID_PATH', { path, reason: 'network-path' }))
  })

  test('devices stay refused, and names on a share are checked', () => {
    for (const path of [
      '\\\\?\\UNC\\server\\share\\a',
      '\\\\.\\pipe\\x',
      '\\\\server\\share\\NUL',
      '\\\\server\\share\\a:b',
    ]) {
      expect(() => rules.parse(path)).toThrow(FsError)
    }
  })

  test('without a root on a share there are none', () => {
    expect(windowsRulesFor(['/C:/work'])).toBe(windowsRules)
  })
})

describe('globs', () => {
  test.each([
    ['src\\**\\*.ts', 'src/**/*.ts'],
    ['C:\\work\\*.ts', '/C:/work/*.ts'],
    ['c:/work/*.ts', '/c:/work/*.ts'],
    ['a\\[id\\]\\b', 'a\\[id\\]/b'],
    ['\\!x\\,y', '\\!x\\,y'],
    ['src/*.ts', 'src/*.ts'],
  ])('%s means %s', (given, meant) => {
    expect(windowsRules.pattern?.(given)).toBe(meant)
    expect(windowsRules.pattern?.(meant)).toBe(meant)
  })
})

describe('the gate', () => {
  const fs = confine(withoutCase(mount({ '/C:/Work/App': memory({ 'src/a.txt': 'a' }) })), {
    roots: [{ path: '/C:/Work/App', access: 'read-write', aliases: ['/D:/Link'] }],
    pathRules: windowsRules,
  })

  test.each([
    'C:\\Work\\App\\src\\a.txt',
    'c:/WORK/app/src/a.txt',
    '/c:/work/APP/src/a.txt',
    'd:\\LINK\\src\\a.txt',
    'src\\a.txt',
  ])('finds %s in a root with another spelling', async (path) => {
    expect(fs.resolve(path)).toBe('/C:/Work/App/src/a.txt')
    expect(new TextDecoder().decode(await fs.readFile(path))).toBe('a')
  })

  test.each(['C:\\Work\\Application', 'C:\\Work', 'D:\\Linked', 'c:\\work\\app\\..\\other', 'C:\\Windows', '..\\x'])(
    'does not take %s for a part of the root',
    (path) => {
      expect(() => fs.resolve(path)).toThrow(new FsError('OUTSIDE', { path }))
    },
  )

  test('any input is shown as a whole path', () => {
    const root = '/C:/Work/App'
    expect(fs.showFull('src/x', root)).toBe('C:\\Work\\App\\src\\x')
    expect(fs.showFull('..\\x', root)).toBe('C:\\Work\\x')
    expect(fs.showFull('D:\\x', root)).toBe('D:\\x')
    expect(fs.showFull('D:\\x\\*.txt', root)).toBe('D:\\x\\*.txt')
    expect(fs.showFull('/C:/Work/App', root)).toBe('C:\\Work\\App')
  })
})

function withoutCase(fs: FileSystem): FileSystem {
  return { ...fs, capabilities: { ...fs.capabilities, caseSensitive: false } }
}

describe('the disk itself', () => {
  test.each([
    ['/..\\outside', 'reserved-character'],
    ['/a/..\\..\\outside', 'reserved-character'],
    ['/C:/Windows', 'alternate-stream'],
    ['/a/file.txt:stream', 'alternate-stream'],
    ['/a/nul', 'reserved-name'],
    ['/a/file.txt.', 'trailing-dot-or-space'],
    ['/a /file.txt', 'trailing-dot-or-space'],
    ['/a*', 'reserved-character'],
  ])('refuses %s, also without a gate', (path, reason) => {
    expect(() => checkVirtual(path, 'win32')).toThrow(
      new FsError('INVALID_PATH', { path, reason: reason as PathFault }),
    )
    expect(() => checkVirtual(path, 'linux')).not.toThrow()
  })

  test.each(['/', '/a/file~1.txt', '/.git/config', '/a/b c.txt'])('takes %s, which a listing may give', (path) => {
    expect(() => checkVirtual(path, 'win32')).not.toThrow()
  })
})

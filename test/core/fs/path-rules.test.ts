import { describe, expect, test } from 'vitest'
import { FsError, type PathFault } from '../../../src/errors.js'
import { checkPath, type PathRules, posixRules, windowsRules } from '../../../src/fs/path-rules.js'
import { attacks, shown } from '../../attacks/corpus.js'

describe('on every host', () => {
  const faults: [string, string, PathFault][] = [
    ['nothing at all', '', 'empty'],
    ['a NUL', 'a\0b', 'nul'],
    ['a NUL alone', '\0', 'nul'],
    ['a high surrogate alone', 'a\ud800b', 'malformed-unicode'],
    ['a low surrogate alone', 'sub/\udfff.txt', 'malformed-unicode'],
    ['more than 4,096 units', 'a/'.repeat(2048) + 'b', 'too-long'],
    ['more than 4,096 units that come to nothing', './'.repeat(100_000), 'too-long'],
    ['a name of 256 bytes', 'a'.repeat(256), 'name-too-long'],
    ['a name of 128 two-byte characters', `sub/${'é'.repeat(128)}`, 'name-too-long'],
    ['a name of 64 four-byte characters', '😀'.repeat(64), 'name-too-long'],
    ['a long name before a `..`', `${'a'.repeat(256)}/../b`, 'name-too-long'],
  ]
  for (const [name, rules] of Object.entries({ posixRules, windowsRules })) {
    test.each(faults)(`${name} refuse %s`, (_what, path, reason) => {
      expect(faultOf(rules, path)).toEqual({ path, reason })
    })

    test.each([
      ['a path of 4,096 units', 'a/'.repeat(2047) + 'bb', 2048],
      ['a name of 255 bytes', 'a'.repeat(255), 1],
      ['a name of 127 two-byte characters', 'é'.repeat(127), 1],
      ['a name of 63 four-byte characters', '😀'.repeat(63), 1],
    ])(`${name} take %s`, (_what, path, count) => {
      expect(rules.parse(path).components).toHaveLength(count)
    })

    test(`${name} drop \`.\` and empty components, and keep \`..\` for whoever knows the base`, () => {
      expect(rules.parse('./a//./b/../c/')).toEqual({ absolute: false, components: ['a', 'b', '..', 'c'] })
      expect(rules.parse('../..')).toEqual({ absolute: false, components: ['..', '..'] })
      expect(rules.parse('/../a')).toEqual({ absolute: true, components: ['..', 'a'] })
      expect(rules.parse('/')).toEqual({ absolute: true, components: [] })
      expect(rules.parse('.')).toEqual({ absolute: false, components: [] })
    })

    test.each(['~', '~/x', '$HOME', '%2e%2e', '&#46;&#46;', '\u2025', '\uff0e\uff0e', "'a'", ' a', 'é', 'e\u0301'])(
      `${name} take %j as it is written: nothing is expanded, decoded, unquoted, trimmed or composed`,
      (path) => {
        expect(rules.parse(path)).toEqual({ absolute: false, components: path.split('/') })
      },
    )
  }

  test('a name that no file system could hold is refused with the path it ends', () => {
    const path = `/sub/${'a'.repeat(256)}`
    expect(() => checkPath(path)).toThrow(new FsError('INVALID_PATH', { path, reason: 'name-too-long' }))
    expect(() => checkPath(`/${'a'.repeat(255)}`)).not.toThrow()
  })
})

describe('on POSIX', () => {
  test.each(['..\\outside', 'C:', 'C:x', 'CON', 'a:b', 'a.', 'a ', '.. ', 'GIT~1', '<>"|?*', 'tab\there', 'new\nline'])(
    '%j is one ordinary name',
    (path) => {
      expect(posixRules.parse(path)).toEqual({ absolute: false, components: [path] })
    },
  )

  test('a drive, a share and a device path are names below where they are written', () => {
    expect(posixRules.parse('C:\\Windows\\win.ini')).toEqual({ absolute: false, components: ['C:\\Windows\\win.ini'] })
    expect(posixRules.parse('c:/windows')).toEqual({ absolute: false, components: ['c:', 'windows'] })
    expect(posixRules.parse('\\\\server\\share')).toEqual({ absolute: false, components: ['\\\\server\\share'] })
    expect(posixRules.parse('//server/share')).toEqual({ absolute: true, components: ['server', 'share'] })
  })

  test('a file URL is a relative path, never a second spelling of an absolute one', () => {
    expect(posixRules.parse('file:///etc/passwd')).toEqual({ absolute: false, components: ['file:', 'etc', 'passwd'] })
  })
})

describe('on Windows', () => {
  test('a drive is the first component, in upper case, however it is written', () => {
    const parsed = { absolute: true, components: ['C:', 'Users', 'me'] }
    expect(windowsRules.parse('C:\\Users\\me')).toEqual(parsed)
    expect(windowsRules.parse('c:/Users/me')).toEqual(parsed)
    expect(windowsRules.parse('/C:/Users/me')).toEqual(parsed)
    expect(windowsRules.parse('c:\\Users/./me\\')).toEqual(parsed)
    expect(windowsRules.parse('C:\\')).toEqual({ absolute: true, components: ['C:'] })
  })

  test('both slashes separate', () => {
    expect(windowsRules.parse('a\\b/c')).toEqual({ absolute: false, components: ['a', 'b', 'c'] })
    expect(windowsRules.parse('..\\outside')).toEqual({ absolute: false, components: ['..', 'outside'] })
    expect(windowsRules.parse('C:\\a\\..\\..\\b')).toEqual({ absolute: true, components: ['C:', 'a', '..', '..', 'b'] })
  })

  const faults: Record<string, [PathFault, string[]]> = {
    'a path into the device namespace': [
      'device-path',
      [
        '\\\\?\\C:\\Windows',
        '\\\\.\\C:\\x',
        '\\\\.\\PhysicalDrive0',
        '\\\\.\\pipe\\x',
        '\\\\?\\UNC\\localhost\\c$',
        '\\\\?\\GLOBALROOT\\Device\\HarddiskVolume1',
        '\\??\\C:\\x',
        '//?/C:/x',
        '//./C:/x',
        '/\\?\\C:/x',
      ],
    ],
    'a share': [
      'network-path',
      ['\\\\server\\share', '//server/share', '\\\\localhost\\c$\\Windows', '/\\server\\share'],
    ],
    'a path that depends on the current drive or its directory': [
      'drive-relative',
      ['C:x', 'c:..\\x', '\\Windows', '\\..\\x'],
    ],
    'a device name, in any case, with any extension, in any directory': [
      'reserved-name',
      [
        'CON',
        'PRN',
        'AUX',
        'NUL',
        'CLOCK$',
        'CONIN$',
        'CONOUT$',
        'COM0',
        'COM9',
        'LPT1',
        'COM\u00b9',
        'LPT\u00b3',
        'nul.txt',
        'aux.tar.gz',
        'sub/NUL',
        'con/x',
        'con .txt',
        'NUL:',
        'nul:stream',
        'com1.log',
        'C:\\NUL',
      ],
    ],
    'an alternate data stream': [
      'alternate-stream',
      ['a.txt:stream', 'a.txt::$DATA', '.git::$INDEX_ALLOCATION/config', 'sub/C:/x', ':x', 'C:\\a:b'],
    ],
    'a short name': ['short-name', ['GIT~1', 'PROGRA~1/x', 'SECRET~1.TXT', 'a~12.txt']],
    'a name that Windows would cut': [
      'trailing-dot-or-space',
      ['a.', 'a ', 'sub./a.txt', '.git . .', '...', '.. ', ' '],
    ],
    'a character that Windows refuses': [
      'reserved-character',
      ['a<b', 'a>b', 'a"b', 'a|b', 'a?b', 'a*b', 'a\tb', 'a\u001fb'],
    ],
  }
  for (const [what, [reason, paths]] of Object.entries(faults)) {
    test.each(paths)(`${what} is refused: %j`, (path) => {
      expect(faultOf(windowsRules, path)).toEqual({ path, reason })
    })
  }

  test.each(['CONSOLE', 'nullable.txt', 'COM10', 'COMA', 'auxiliary', 'a~b', '.git', 'a.b.c', 'café'])(
    '%j only looks like one of them',
    (path) => {
      expect(windowsRules.parse(path)).toEqual({ absolute: false, components: [path] })
    },
  )

  const refusedOnWindows = attacks.filter(({ winExpect }) => winExpect === 'DENY')
  test.each(refusedOnWindows.map(({ id, path }) => [id, shown(path), path] as const))(
    '%s %s is refused',
    (_id, _shown, path) => {
      expect(faultOf(windowsRules, path)).toEqual({ path, reason: expect.any(String) })
    },
  )

  const lexicalClasses = ['E-win-trav', 'E-win-abs', 'E-win-abs-posix']
  const traversals = attacks.filter(({ cls }) => lexicalClasses.includes(cls))
  test.each(traversals.map(({ id, path }) => [id, shown(path), path] as const))(
    '%s %s is refused, leads up, starts at a drive or is an ordinary name',
    (_id, _shown, path) => {
      const parsed = attempt(windowsRules, path)
      if (parsed instanceof FsError) return expect(parsed.code).toBe('INVALID_PATH')
      for (const component of parsed.components.slice(parsed.absolute ? 1 : 0)) expect(component).toMatch(/^[^\\/:]+$/)
    },
  )
})

function faultOf(rules: PathRules, path: string): unknown {
  const result = attempt(rules, path)
  return result instanceof FsError ? result.facts : result
}

function attempt(rules: PathRules, path: string): ReturnType<PathRules['parse']> | FsError {
  try {
    return rules.parse(path)
  } catch (error) {
    if (error instanceof FsError) return error
    throw error
  }
}

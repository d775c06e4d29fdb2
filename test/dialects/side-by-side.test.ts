/**
 * What every dialect answers in the same situation, side by side, so that a change of an operation shows its effect on all of them. An
 * answer is the text of the result, with the files that the call changed.
 */
import { describe, expect, test } from 'vitest'
import { memory } from '../../src/fs/backends/memory.js'
import type { FileSystem } from '../../src/fs/types.js'
import { callTool, ToolProtocolError } from '../../src/tools/call-tool.js'
import type { Dialect, ToolResult } from '../../src/tools/dialect.js'
import { createWorkspace } from '../../src/workspace/create-workspace.js'
import type { Session, Workspace } from '../../src/workspace/workspace.js'
import { withoutSessions } from '../change-ids.js'
import { dialects } from './all.js'

type Name = 'polyfs' | 'clarvis' | 'replay' | 'file-editor' | 'fs-context' | 'fs'
type Call = [tool: string, args: object]
/** `not offered`: the dialect has no tool for it. */
type Calls = Record<Name, Call | 'not offered'>
type Answer = string | { says: string; changes: Tree }
type Answers = Record<Name, Answer>
/** The files by path; a directory ends in `/`, and a deleted file is null. */
type Tree = Record<string, string | null>

interface Situation {
  calls: Calls
  answers: Answers
}

/** `/w` is the workspace, and `/out` lies beside it. */
const files = {
  '/w/readme.md': '# Sums\n\nHow to add numbers.\n',
  '/w/src/sum.ts': 'export const one = 1\nexport const two = 2\nexport const sum = one + two\n',
  '/w/src/use.ts': 'add(1, 2)\n',
  '/w/data.bin': Uint8Array.of(0x89, 0x00, 0xff, 0x0a),
  '/w/empty/': '',
  '/out/secret.txt': 'secret\n',
}
const links = { '/w/leak': '../out/secret.txt' }

const tables: Record<string, Record<string, Situation>> = {
  read: {
    'a text file': {
      calls: {
        polyfs: ['read_file', { path: 'src/sum.ts' }],
        clarvis: ['read_file', { path: 'src/sum.ts' }],
        replay: ['read_file', { path: '/w/src/sum.ts' }],
        'file-editor': ['read_files', { path: 'src/sum.ts' }],
        'fs-context': ['read_file', { path: '/w/src/sum.ts' }],
        fs: ['fs.read_file', { path: 'src/sum.ts' }],
      },
      answers: {
        polyfs: lines(
          '1\texport const one = 1',
          '2\texport const two = 2',
          '3\texport const sum = one + two',
          '[3 lines, hash 8ba8c5bc1fe7f2d3]',
        ),
        clarvis: lines(
          '     1\texport const one = 1',
          '     2\texport const two = 2',
          '     3\texport const sum = one + two',
        ),
        replay: lines('export const one = 1', 'export const two = 2', 'export const sum = one + two', ''),
        'file-editor': lines(
          '1 | export const one = 1',
          '2 | export const two = 2',
          '3 | export const sum = one + two',
          '4 | ',
        ),
        'fs-context': lines(
          'export const one = 1',
          'export const two = 2',
          'export const sum = one + two',
          '',
          'Total lines: 4',
        ),
        fs: '{"path":"src/sum.ts","content":"export const one = 1\\nexport const two = 2\\nexport const sum = one + two\\n","is_truncated":false,"range":{"range_type":"bytes","offset_bytes":0,"max_bytes":65536,"start_line":null,"max_lines":null}}',
      },
    },
    'a missing file': {
      calls: {
        polyfs: ['read_file', { path: 'no.txt' }],
        clarvis: ['read_file', { path: 'no.txt' }],
        replay: ['read_file', { path: '/w/no.txt' }],
        'file-editor': ['read_files', { path: 'no.txt' }],
        'fs-context': ['read_file', { path: '/w/no.txt' }],
        fs: ['fs.read_file', { path: 'no.txt' }],
      },
      answers: {
        polyfs: 'isError: not_found: no.txt does not exist. Look for it with glob or list_dir.',
        clarvis: 'isError: {"error":"not_found","message":"No such file: no.txt","path":"no.txt"}',
        replay: 'error -32002: failed to open "/w/no.txt" for reading: No such file or directory',
        'file-editor': 'isError: Error: File not found: no.txt',
        'fs-context': lines(
          'isError: Error [E_NOT_FOUND]: Path does not exist: /w/no.txt',
          'Path: /w/no.txt',
          'Suggestion: Verify the path exists. Use list_directory to explore available files and directories.',
        ),
        fs: 'error -32603: read_file_failed: failed to canonicalize path: /w/no.txt',
      },
    },
    'a directory': {
      calls: {
        polyfs: ['read_file', { path: 'src' }],
        clarvis: ['read_file', { path: 'src' }],
        replay: ['read_file', { path: '/w/src' }],
        'file-editor': ['read_files', { path: 'src' }],
        'fs-context': ['read_file', { path: '/w/src' }],
        fs: ['fs.read_file', { path: 'src' }],
      },
      answers: {
        polyfs: 'isError: is_a_directory: src is a directory. Use list_dir to see what is in it.',
        clarvis: 'isError: {"error":"not_a_file","message":"Path is a directory: src","path":"src"}',
        replay: 'error -32603: failed to open "/w/src" for reading: Is a directory',
        'file-editor': 'isError: Error: Path is a directory: src',
        'fs-context': lines(
          'isError: Error [E_NOT_FILE]: Not a file: /w/src',
          'Path: /w/src',
          'Suggestion: The path points to a directory or other non-file. Use list_directory to explore its contents.',
        ),
        fs: 'error -32603: read_file_failed: read_file target is not a regular file: /w/src',
      },
    },
    'a binary file': {
      calls: {
        polyfs: ['read_file', { path: 'data.bin' }],
        clarvis: ['read_file', { path: 'data.bin' }],
        replay: ['read_file', { path: '/w/data.bin' }],
        'file-editor': ['read_files', { path: 'data.bin' }],
        'fs-context': ['read_file', { path: '/w/data.bin' }],
        fs: ['fs.read_file', { path: 'data.bin' }],
      },
      answers: {
        polyfs: lines(
          '[binary, application/octet-stream, 4 B, hash 04cf7f6ebb7d8db9]',
          '{"uri":"polyfs:///w/data.bin","mimeType":"application/octet-stream","blob":"iQD/Cg=="}',
        ),
        clarvis: 'isError: {"error":"is_binary","message":"File appears to be binary: data.bin","path":"data.bin"}',
        replay: '{"uri":"file:///w/data.bin","mimeType":"application/octet-stream","blob":"iQD/Cg=="}',
        'file-editor': '1 | �\u0000�\n2 | ',
        'fs-context': lines(
          'isError: Error [E_INVALID_INPUT]: Binary file detected: /w/data.bin. Set skipBinary=false to read as text.',
          'Path: /w/data.bin',
          'Suggestion: One or more input parameters are invalid. Check the tool documentation for correct usage.',
        ),
        fs: 'error -32603: read_file_failed: file is not valid UTF-8, binary files are not supported: /w/data.bin',
      },
    },
    'the second line': {
      calls: {
        polyfs: ['read_file', { path: 'src/sum.ts', offset: 2, limit: 1 }],
        clarvis: ['read_file', { path: 'src/sum.ts', offset: 2, limit: 1 }],
        replay: 'not offered',
        'file-editor': ['read_files', { path: 'src/sum.ts', line_range: '2-2' }],
        'fs-context': ['read_file', { path: '/w/src/sum.ts', lineStart: 2, lineEnd: 2 }],
        fs: ['fs.read_file', { path: 'src/sum.ts', start_line: 2, max_lines: 1 }],
      },
      answers: {
        polyfs: lines('2\texport const two = 2', '[lines 2-2 of 3, hash 8ba8c5bc1fe7f2d3]'),
        clarvis: lines('     2\texport const two = 2', '[... 1 of 3 lines shown; continue with offset=3 ...]'),
        replay: 'not offered',
        'file-editor': '2 | export const two = 2',
        'fs-context': 'export const two = 2\nShowing lines 2-2',
        fs: '{"path":"src/sum.ts","content":"export const two = 2\\n","is_truncated":true,"range":{"range_type":"lines","offset_bytes":null,"max_bytes":null,"start_line":2,"max_lines":1}}',
      },
    },
    'several files, one of them missing': {
      calls: {
        polyfs: ['read_file', { paths: ['readme.md', 'no.txt'] }],
        clarvis: 'not offered',
        replay: ['read_multiple_files', { paths: ['/w/readme.md', '/w/no.txt'] }],
        'file-editor': ['read_files', { path: ['readme.md', 'no.txt'] }],
        'fs-context': ['read_multiple_files', { paths: ['/w/readme.md', '/w/no.txt'] }],
        fs: 'not offered',
      },
      answers: {
        polyfs: lines(
          '=== readme.md',
          '1\t# Sums',
          '2\t',
          '3\tHow to add numbers.',
          '[3 lines, hash 6614cbec1bbf6f98]',
          '',
          '=== no.txt',
          '[not_found: no.txt does not exist. Look for it with glob or list_dir.]',
          '[1 of 2 could not be read]',
        ),
        clarvis: 'not offered',
        replay: lines(
          '/w/readme.md:',
          '# Sums',
          '',
          'How to add numbers.',
          '',
          '/w/no.txt:',
          '[error: Cannot open file: No such file or directory]',
        ),
        'file-editor': lines(
          'Successfully read 1 file(s):',
          '',
          '=== readme.md (4 lines) ===',
          '1 | # Sums',
          '2 | ',
          '3 | How to add numbers.',
          '4 | ',
          '',
          'Errors encountered:',
          '- File not found: no.txt',
        ),
        'fs-context': lines(
          '=== /w/readme.md ===',
          '# Sums',
          '',
          'How to add numbers.',
          '',
          '=== /w/no.txt ===',
          '[Error: Path does not exist: /w/no.txt]',
        ),
        fs: 'not offered',
      },
    },
  },
  list: {
    'a directory': {
      calls: {
        polyfs: ['list_dir', {}],
        clarvis: ['list_dir', {}],
        replay: ['list_directory', { path: '/w' }],
        'file-editor': ['list_files', { path: '.' }],
        'fs-context': ['list_directory', { path: '/w' }],
        fs: ['fs.list_files', { recursive: false, include_dirs: true }],
      },
      answers: {
        polyfs: lines('data.bin', 'empty/', 'leak@', 'readme.md', 'src/'),
        clarvis: lines('empty/', 'src/', 'data.bin\t4', 'leak\t0', 'readme.md\t28'),
        replay: lines('[FILE] data.bin', '[DIR]  empty', '[FILE] leak', '[FILE] readme.md', '[DIR]  src', ''),
        'file-editor': lines('file: data.bin', 'directory: empty', 'file: leak', 'file: readme.md', 'directory: src'),
        'fs-context': lines(
          '/w (2 dirs, 3 files):',
          '[DIR] empty',
          '[DIR] src',
          '[FILE] data.bin (4 B)',
          '[LINK] leak',
          '[FILE] readme.md (28 B)',
          '[1 symlinks not followed]',
        ),
        fs: '{"entries":[{"path":"data.bin","is_dir":false},{"path":"empty","is_dir":true},{"path":"leak","is_dir":false},{"path":"readme.md","is_dir":false},{"path":"src","is_dir":true}],"has_more":false}',
      },
    },
    'a missing directory': {
      calls: {
        polyfs: ['list_dir', { path: 'no' }],
        clarvis: ['list_dir', { path: 'no' }],
        replay: ['list_directory', { path: '/w/no' }],
        'file-editor': ['list_files', { path: 'no' }],
        'fs-context': ['list_directory', { path: '/w/no' }],
        fs: ['fs.list_files', { root: 'no' }],
      },
      answers: {
        polyfs: 'isError: not_found: no does not exist. Look for it with glob or list_dir.',
        clarvis: 'isError: {"error":"not_found","message":"No such file: no","path":"no"}',
        replay: 'error -32002: failed to list directory "/w/no": No such file or directory',
        'file-editor': 'isError: Error: Directory not found: no',
        'fs-context': lines(
          'isError: Error [E_NOT_FOUND]: Path does not exist: /w/no',
          'Path: /w/no',
          'Suggestion: Verify the path exists. Use list_directory to explore available files and directories.',
        ),
        fs: 'error -32603: list_files_failed: list_files root path does not exist: no',
      },
    },
    'a file': {
      calls: {
        polyfs: ['list_dir', { path: 'readme.md' }],
        clarvis: ['list_dir', { path: 'readme.md' }],
        replay: ['list_directory', { path: '/w/readme.md' }],
        'file-editor': ['list_files', { path: 'readme.md' }],
        'fs-context': ['list_directory', { path: '/w/readme.md' }],
        fs: ['fs.list_files', { root: 'readme.md' }],
      },
      answers: {
        polyfs:
          'isError: not_a_directory: readme.md is not a directory. Name a directory, or use read_file for a file.',
        clarvis: 'isError: {"error":"not_a_file","message":"Not a directory: readme.md","path":"readme.md"}',
        replay: 'error -32603: failed to list directory "/w/readme.md": Not a directory',
        'file-editor': 'isError: Error: Path is not a directory: readme.md',
        'fs-context': lines(
          'isError: Error [E_NOT_DIRECTORY]: Not a directory: /w/readme.md',
          'Path: /w/readme.md',
          'Suggestion: The path points to a file, not a directory. Use read_file to read file contents.',
        ),
        fs: 'error -32603: list_files_failed: list_files root path is not a directory: readme.md',
      },
    },
    'an empty directory': {
      calls: {
        polyfs: ['list_dir', { path: 'empty' }],
        clarvis: ['list_dir', { path: 'empty' }],
        replay: ['list_directory', { path: '/w/empty' }],
        'file-editor': ['list_files', { path: 'empty' }],
        'fs-context': ['list_directory', { path: '/w/empty' }],
        fs: ['fs.list_files', { root: 'empty' }],
      },
      answers: {
        polyfs: '(no entries)',
        clarvis: '(empty directory)',
        replay: '',
        'file-editor': '',
        'fs-context': 'Empty directory',
        fs: '{"entries":[],"has_more":false}',
      },
    },
    'all that is below a directory, directories too': {
      calls: {
        polyfs: ['list_dir', { depth: 9 }],
        clarvis: 'not offered',
        replay: ['directory_tree', { path: '/w' }],
        'file-editor': ['list_files', { path: '.', recursive: true }],
        'fs-context': ['list_directory', { path: '/w', recursive: true }],
        fs: ['fs.list_files', { include_dirs: true }],
      },
      answers: {
        polyfs: lines('data.bin', 'empty/', 'leak@', 'readme.md', 'src/', 'src/sum.ts', 'src/use.ts'),
        clarvis: 'not offered',
        replay:
          '{"name":"w","type":"directory","children":[{"name":"data.bin","type":"file"},{"name":"empty","type":"directory","children":[]},{"name":"leak","type":"file"},{"name":"readme.md","type":"file"},{"name":"src","type":"directory","children":[{"name":"sum.ts","type":"file"},{"name":"use.ts","type":"file"}]}]}',
        'file-editor': lines(
          'file: data.bin',
          'directory: empty',
          'file: leak',
          'file: readme.md',
          'directory: src',
          'file: src/sum.ts',
          'file: src/use.ts',
        ),
        'fs-context': lines(
          '/w (2 dirs, 5 files):',
          '[DIR] empty',
          '[DIR] src',
          '[FILE] data.bin (4 B)',
          '[LINK] leak',
          '[FILE] readme.md (28 B)',
          '[FILE] src/sum.ts (71 B)',
          '[FILE] src/use.ts (10 B)',
          '[1 symlinks not followed]',
        ),
        fs: '{"entries":[{"path":"data.bin","is_dir":false},{"path":"empty","is_dir":true},{"path":"leak","is_dir":false},{"path":"readme.md","is_dir":false},{"path":"src","is_dir":true},{"path":"src/sum.ts","is_dir":false},{"path":"src/use.ts","is_dir":false}],"has_more":false}',
      },
    },
    'what may be reached': {
      calls: {
        polyfs: ['workspace', {}],
        clarvis: 'not offered',
        replay: ['list_allowed_directories', {}],
        'file-editor': 'not offered',
        'fs-context': ['list_allowed_directories', {}],
        fs: 'not offered',
      },
      answers: {
        polyfs: lines(
          'root /w (read-write)',
          'relative paths count from /w',
          'shell: none',
          'files: symlinks, atomic rename, mode bits, modified write, watch, case sensitive, writable, sync',
          'limits: max_tokens 10000, bytes_per_token 4, max_file 19 MB, command_timeout_ms 120000, history 256 MB, 30 days',
          'ignored: .gitignore of every directory, never searched: .git, .polyfs',
          'missing: bash, because there is no shell here, or it was switched off',
        ),
        clarvis: 'not offered',
        replay: '/w (read-write)\n',
        'file-editor': 'not offered',
        'fs-context': 'Allowed directories (1):\n/w [readable]',
        fs: 'not offered',
      },
    },
  },
  'find files': {
    'by pattern': {
      calls: {
        polyfs: ['glob', { pattern: '**/*.ts' }],
        clarvis: ['glob', { pattern: '**/*.ts' }],
        replay: ['glob_search', { directory: '/w', globs: ['**/*.ts'] }],
        'file-editor': 'not offered',
        'fs-context': ['search_files', { path: '/w', pattern: '**/*.ts' }],
        fs: ['fs.list_files', { include_globs: ['**/*.ts'] }],
      },
      answers: {
        polyfs: lines('src/sum.ts', 'src/use.ts'),
        clarvis: 'src/sum.ts\nsrc/use.ts',
        replay: lines('/w/src/sum.ts', '/w/src/use.ts', ''),
        'file-editor': 'not offered',
        'fs-context': lines('Found 2:', '[FILE] /w/src/sum.ts (71 B)', '[FILE] /w/src/use.ts (10 B)'),
        fs: '{"entries":[{"path":"src/sum.ts","is_dir":false},{"path":"src/use.ts","is_dir":false}],"has_more":false}',
      },
    },
    'by a part of the name': {
      calls: {
        polyfs: ['glob', { pattern: '*um*' }],
        clarvis: ['glob', { pattern: '**/*um*' }],
        replay: ['search_files', { directory: '/w', nameContains: 'um' }],
        'file-editor': 'not offered',
        'fs-context': ['search_files', { path: '/w', pattern: '*um*', baseNameMatch: true }],
        fs: ['fs.list_files', { include_globs: ['**/*um*'] }],
      },
      answers: {
        polyfs: 'src/sum.ts',
        clarvis: 'src/sum.ts',
        replay: '/w/src/sum.ts\n',
        'file-editor': 'not offered',
        'fs-context': 'Found 1:\n[FILE] /w/src/sum.ts (71 B)',
        fs: '{"entries":[{"path":"src/sum.ts","is_dir":false}],"has_more":false}',
      },
    },
    'and there are none': {
      calls: {
        polyfs: ['glob', { pattern: '*.py' }],
        clarvis: ['glob', { pattern: '**/*.py' }],
        replay: ['glob_search', { directory: '/w', globs: ['**/*.py'] }],
        'file-editor': 'not offered',
        'fs-context': ['search_files', { path: '/w', pattern: '**/*.py' }],
        fs: ['fs.list_files', { include_globs: ['**/*.py'] }],
      },
      answers: {
        polyfs: '(no matches)',
        clarvis: '(no matches)',
        replay: '(no matches)',
        'file-editor': 'not offered',
        'fs-context': lines(
          'No matches',
          '(Try a broader pattern, remove excludePatterns, or set includeHidden=true if searching dotfiles.)',
        ),
        fs: '{"entries":[],"has_more":false}',
      },
    },
  },
  'search text': {
    'one hit': {
      calls: {
        polyfs: ['grep', { pattern: 'add\\(' }],
        clarvis: ['grep', { pattern: 'add\\(', output_mode: 'content' }],
        replay: ['grep_files', { regex: 'add\\(', directory: '/w' }],
        'file-editor': 'not offered',
        'fs-context': ['search_content', { path: '/w', pattern: 'add\\(' }],
        fs: ['fs.search_text', { query: 'add\\(', mode: 'regex', context_lines: 0 }],
      },
      answers: {
        polyfs: lines(
          'src/use.ts',
          '1: add(1, 2)',
          '[1 match in 1 file; 3 files searched; not searched: 1 binary (data.bin)]',
        ),
        clarvis: 'src/use.ts:1:add(1, 2)',
        replay: lines('/w/src/use.ts:1:add(1, 2)', '[1 match]', '[1 path(s) skipped: outside allowed directories]'),
        'file-editor': 'not offered',
        'fs-context': lines('Found 1:', 'src/use.ts (1 match):', '  >    1: add(1, 2)', '', '[1 skipped: binary]'),
        fs: '{"hits":[{"path":"src/use.ts","line":1,"column":0,"line_text":"add(1, 2)","context_before":[],"context_after":[]}],"has_more":false}',
      },
    },
    'one hit with a line of context': {
      calls: {
        polyfs: ['grep', { pattern: 'two =', path: 'src', context: 1 }],
        clarvis: ['grep', { pattern: 'two =', path: 'src', output_mode: 'content', context: 1 }],
        replay: ['grep_files', { regex: 'two =', directory: '/w/src', contextLines: 1 }],
        'file-editor': 'not offered',
        'fs-context': ['search_content', { path: '/w/src', pattern: 'two =', contextLines: 1 }],
        fs: ['fs.search_text', { query: 'two =', root: 'src', context_lines: 1 }],
      },
      answers: {
        polyfs: lines(
          'src/sum.ts',
          '1- export const one = 1',
          '2: export const two = 2',
          '3- export const sum = one + two',
          '[1 match in 1 file; 2 files searched]',
        ),
        clarvis: lines(
          'src/sum.ts-1-export const one = 1',
          'src/sum.ts:2:export const two = 2',
          'src/sum.ts-3-export const sum = one + two',
        ),
        replay: lines(
          '/w/src/sum.ts-1-export const one = 1',
          '/w/src/sum.ts:2:export const two = 2',
          '/w/src/sum.ts-3-export const sum = one + two',
          '[1 match]',
          '',
        ),
        'file-editor': 'not offered',
        'fs-context': lines(
          'Found 1:',
          'sum.ts (1 match):',
          '       1: export const one = 1',
          '  >    2: export const two = 2',
          '       3: export const sum = one + two',
          '    ---',
          '',
        ),
        fs: '{"hits":[{"path":"src/sum.ts","line":2,"column":13,"line_text":"export const two = 2","context_before":["export const one = 1"],"context_after":["export const sum = one + two"]}],"has_more":false}',
      },
    },
    'no hit': {
      calls: {
        polyfs: ['grep', { pattern: 'nowhere' }],
        clarvis: ['grep', { pattern: 'nowhere' }],
        replay: ['grep_files', { regex: 'nowhere', directory: '/w' }],
        'file-editor': 'not offered',
        'fs-context': ['search_content', { path: '/w', pattern: 'nowhere' }],
        fs: ['fs.search_text', { query: 'nowhere' }],
      },
      answers: {
        polyfs: lines('(no matches)', '[0 matches in 0 files; 3 files searched; not searched: 1 binary (data.bin)]'),
        clarvis: '(no matches)',
        replay: '(no matches found)\n[1 path(s) skipped: outside allowed directories]',
        'file-editor': 'not offered',
        'fs-context': 'No matches\n[1 skipped: binary]',
        fs: '{"hits":[],"has_more":false}',
      },
    },
    'an invalid regular expression': {
      calls: {
        polyfs: ['grep', { pattern: '(a' }],
        clarvis: ['grep', { pattern: '(a' }],
        replay: ['grep_files', { regex: '(a', directory: '/w' }],
        'file-editor': 'not offered',
        'fs-context': ['search_content', { path: '/w', pattern: '(a' }],
        fs: ['fs.search_text', { query: '(a', mode: 'regex' }],
      },
      answers: {
        polyfs:
          'isError: invalid_pattern: The pattern "(a" can\'t be understood: a group without its closing parenthesis. Correct it.\nTo search for the text as it stands, set literal: true.',
        clarvis:
          'isError: {"error":"invalid_input","message":"Invalid regex: a group without its closing parenthesis","pattern":"(a"}',
        replay: 'error -32603: Invalid regex: a group without its closing parenthesis',
        'file-editor': 'not offered',
        'fs-context': lines(
          'isError: Error [E_INVALID_PATTERN]: Invalid regular expression: (a (a group without its closing parenthesis)',
          'Path: /w',
          'Suggestion: The glob or regex pattern is invalid. Check syntax and escape special characters.',
        ),
        fs: 'error -32603: search_text_failed: invalid regex: (a',
      },
    },
  },
  write: {
    'a new file': {
      calls: {
        polyfs: ['write_file', { path: 'new.txt', content: lines('one', 'two', '') }],
        clarvis: ['write_file', { path: 'new.txt', content: lines('one', 'two', '') }],
        replay: ['write_file', { path: '/w/new.txt', content: lines('one', 'two', '') }],
        'file-editor': ['write_files', { path: 'new.txt', content: lines('one', 'two', ''), line_count: 3 }],
        'fs-context': 'not offered',
        fs: 'not offered',
      },
      answers: {
        polyfs: {
          says: 'created new.txt (8 bytes, hash c3f9c8c283a2b1f2)\n[change 1]',
          changes: { '/w/new.txt': lines('one', 'two', '') },
        },
        clarvis: { says: 'Wrote 8 bytes to new.txt (created).', changes: { '/w/new.txt': lines('one', 'two', '') } },
        replay: { says: 'Successfully wrote /w/new.txt', changes: { '/w/new.txt': lines('one', 'two', '') } },
        'file-editor': {
          says: 'File written successfully: new.txt (3 lines)',
          changes: { '/w/new.txt': lines('one', 'two', '') },
        },
        'fs-context': 'not offered',
        fs: 'not offered',
      },
    },
    'over a file': {
      calls: {
        polyfs: ['write_file', { path: 'readme.md', content: 'new\n' }],
        clarvis: ['write_file', { path: 'readme.md', content: 'new\n' }],
        replay: ['write_file', { path: '/w/readme.md', content: 'new\n' }],
        'file-editor': ['write_files', { path: 'readme.md', content: 'new\n', line_count: 2 }],
        'fs-context': 'not offered',
        fs: 'not offered',
      },
      answers: {
        polyfs: {
          says: 'replaced readme.md (4 bytes, hash 7aa7a5359173d05b)\n[change 1]',
          changes: { '/w/readme.md': lines('new', '') },
        },
        clarvis: { says: 'Wrote 4 bytes to readme.md (overwritten).', changes: { '/w/readme.md': 'new\n' } },
        replay: { says: 'Successfully wrote /w/readme.md', changes: { '/w/readme.md': 'new\n' } },
        'file-editor': { says: 'File written successfully: readme.md (2 lines)', changes: { '/w/readme.md': 'new\n' } },
        'fs-context': 'not offered',
        fs: 'not offered',
      },
    },
    'in a directory that is missing': {
      calls: {
        polyfs: ['write_file', { path: 'no/a.txt', content: 'a' }],
        clarvis: ['write_file', { path: 'no/a.txt', content: 'a' }],
        replay: ['write_file', { path: '/w/no/a.txt', content: 'a' }],
        'file-editor': ['write_files', { path: 'no/a.txt', content: 'a', line_count: 1 }],
        'fs-context': 'not offered',
        fs: 'not offered',
      },
      answers: {
        polyfs: {
          says: 'created no/a.txt (1 byte, hash ca978112ca1bbdca)\n[change 1]',
          changes: { '/w/no/': '', '/w/no/a.txt': 'a' },
        },
        clarvis: 'isError: {"error":"not_found","message":"No such file: no/a.txt","path":"no/a.txt"}',
        replay: { says: 'Successfully wrote /w/no/a.txt', changes: { '/w/no/': '', '/w/no/a.txt': 'a' } },
        'file-editor': {
          says: 'File written successfully: no/a.txt (1 lines)',
          changes: { '/w/no/': '', '/w/no/a.txt': 'a' },
        },
        'fs-context': 'not offered',
        fs: 'not offered',
      },
    },
  },
  make: {
    'a directory': {
      calls: {
        polyfs: ['make_dir', { path: 'made/deep' }],
        clarvis: 'not offered',
        replay: ['create_directory', { path: '/w/made/deep' }],
        'file-editor': 'not offered',
        'fs-context': 'not offered',
        fs: 'not offered',
      },
      answers: {
        polyfs: { says: 'made made/deep\n[change 1]', changes: { '/w/made/': '', '/w/made/deep/': '' } },
        clarvis: 'not offered',
        replay: { says: 'Created directory /w/made/deep', changes: { '/w/made/': '', '/w/made/deep/': '' } },
        'file-editor': 'not offered',
        'fs-context': 'not offered',
        fs: 'not offered',
      },
    },
  },
  edit: {
    'one place': {
      calls: {
        polyfs: ['edit_file', { path: 'src/sum.ts', old_string: 'one + two', new_string: 'two + one' }],
        clarvis: ['edit_file', { path: 'src/sum.ts', old_string: 'one + two', new_string: 'two + one' }],
        replay: ['edit_file', { path: '/w/src/sum.ts', edits: [{ oldText: 'one + two', newText: 'two + one' }] }],
        'file-editor': ['search_and_replace', { path: 'src/sum.ts', search: 'one + two', replace: 'two + one' }],
        'fs-context': 'not offered',
        fs: 'not offered',
      },
      answers: {
        polyfs: {
          says: lines('edited src/sum.ts: 1 place (+1 -1), line 3', '[hash 75b9798b0b79f9b5]\n[change 1]'),
          changes: {
            '/w/src/sum.ts': lines('export const one = 1', 'export const two = 2', 'export const sum = two + one', ''),
          },
        },
        clarvis: {
          says: 'Replaced 1 occurrence in src/sum.ts.',
          changes: {
            '/w/src/sum.ts': lines('export const one = 1', 'export const two = 2', 'export const sum = two + one', ''),
          },
        },
        replay: {
          says: 'Successfully edited /w/src/sum.ts',
          changes: {
            '/w/src/sum.ts': lines('export const one = 1', 'export const two = 2', 'export const sum = two + one', ''),
          },
        },
        'file-editor': {
          says: 'Successfully replaced 1 occurrence(s) in src/sum.ts',
          changes: {
            '/w/src/sum.ts': lines('export const one = 1', 'export const two = 2', 'export const sum = two + one', ''),
          },
        },
        'fs-context': 'not offered',
        fs: 'not offered',
      },
    },
    'a text that occurs twice': {
      calls: {
        polyfs: ['edit_file', { path: 'src/sum.ts', old_string: 'one', new_string: '1' }],
        clarvis: ['edit_file', { path: 'src/sum.ts', old_string: 'one', new_string: '1' }],
        replay: ['edit_file', { path: '/w/src/sum.ts', edits: [{ oldText: 'one', newText: '1' }] }],
        'file-editor': ['search_and_replace', { path: 'src/sum.ts', search: 'one', replace: '1' }],
        'fs-context': 'not offered',
        fs: 'not offered',
      },
      answers: {
        polyfs:
          'isError: ambiguous_match: old_string is in src/sum.ts 2 times, at lines 1, 3. Add surrounding lines to make it unique, name start_line and end_line, or set replace_all.',
        clarvis:
          'isError: {"error":"ambiguous_match","message":"old_string matched 2 times (at lines 1, 3); it must be unique. Add surrounding text, or set replace_all: true to replace every occurrence.","path":"src/sum.ts","lines":[1,3]}',
        replay:
          'error -32603: oldText is not unique: found 2 occurrences of "one". Add surrounding context so it matches exactly one, or set limit:0 to replace all (limit:N for the first N).',
        'file-editor': {
          says: 'Successfully replaced 2 occurrence(s) in src/sum.ts',
          changes: {
            '/w/src/sum.ts': lines('export const 1 = 1', 'export const two = 2', 'export const sum = 1 + two', ''),
          },
        },
        'fs-context': 'not offered',
        fs: 'not offered',
      },
    },
    'a text that is not there': {
      calls: {
        polyfs: ['edit_file', { path: 'src/sum.ts', old_string: 'three', new_string: '3' }],
        clarvis: ['edit_file', { path: 'src/sum.ts', old_string: 'three', new_string: '3' }],
        replay: ['edit_file', { path: '/w/src/sum.ts', edits: [{ oldText: 'three', newText: '3' }] }],
        'file-editor': ['search_and_replace', { path: 'src/sum.ts', search: 'three', replace: '3' }],
        'fs-context': 'not offered',
        fs: 'not offered',
      },
      answers: {
        polyfs:
          'isError: no_match: old_string is not in src/sum.ts: the file has nothing similar. Read the file again and copy the text from it.',
        clarvis:
          'isError: {"error":"no_match","message":"old_string was not found in src/sum.ts. Copy it verbatim from the file.","path":"src/sum.ts"}',
        replay: 'error -32603: oldText not found: three',
        'file-editor': 'Successfully replaced 0 occurrence(s) in src/sum.ts',
        'fs-context': 'not offered',
        fs: 'not offered',
      },
    },
    'a missing file': {
      calls: {
        polyfs: ['edit_file', { path: 'no.txt', old_string: 'a', new_string: 'b' }],
        clarvis: ['edit_file', { path: 'no.txt', old_string: 'a', new_string: 'b' }],
        replay: ['edit_file', { path: '/w/no.txt', edits: [{ oldText: 'a', newText: 'b' }] }],
        'file-editor': ['search_and_replace', { path: 'no.txt', search: 'a', replace: 'b' }],
        'fs-context': 'not offered',
        fs: 'not offered',
      },
      answers: {
        polyfs: 'isError: not_found: no.txt does not exist. Look for it with glob or list_dir.',
        clarvis: 'isError: {"error":"not_found","message":"No such file: no.txt","path":"no.txt"}',
        replay: 'error -32002: failed to open "/w/no.txt": No such file or directory',
        'file-editor': 'isError: Error: File not found: no.txt',
        'fs-context': 'not offered',
        fs: 'not offered',
      },
    },
    'two places of a file': {
      calls: {
        polyfs: [
          'edit_file',
          {
            path: 'src/sum.ts',
            edits: [
              { old_string: 'one = 1', new_string: 'one = 10' },
              { old_string: 'two = 2', new_string: 'two = 20' },
            ],
          },
        ],
        clarvis: [
          'multi_edit',
          {
            path: 'readme.md',
            edits: [
              { old_string: '# Sums', new_string: '# Demo' },
              { old_string: 'numbers', new_string: 'values' },
            ],
          },
        ],
        replay: [
          'edit_file',
          {
            path: '/w/readme.md',
            edits: [
              { oldText: '# Sums', newText: '# Demo' },
              { oldText: 'numbers', newText: 'values' },
            ],
          },
        ],
        'file-editor': [
          'apply_diffs',
          {
            path: 'readme.md',
            search_content: ['# Sums', 'How to add numbers.'],
            replace_content: ['# Demo', 'How to add values.'],
            start_line: [1, 3],
          },
        ],
        'fs-context': 'not offered',
        fs: 'not offered',
      },
      answers: {
        polyfs: {
          says: lines('edited src/sum.ts: 2 places (+2 -2), lines 1 and 2', '[hash 6fae72c5557c7853]\n[change 1]'),
          changes: {
            '/w/src/sum.ts': lines(
              'export const one = 10',
              'export const two = 20',
              'export const sum = one + two',
              '',
            ),
          },
        },
        clarvis: {
          says: 'Applied 2 edits to readme.md.',
          changes: { '/w/readme.md': lines('# Demo', '', 'How to add values.', '') },
        },
        replay: {
          says: 'Successfully edited /w/readme.md',
          changes: { '/w/readme.md': lines('# Demo', '', 'How to add values.', '') },
        },
        'file-editor': {
          says: lines(
            'Batch diff operation (atomic) completed: 2/2 diffs applied successfully to readme.md. File now has 4 lines.',
            '',
            'Detailed results:',
            '',
            'Diff 1:',
            '  Status: success',
            '  Start Line: 1',
            '  Message: Replaced 1 line(s) at line 1',
            '',
            'Diff 2:',
            '  Status: success',
            '  Start Line: 3',
            '  Message: Replaced 1 line(s) at line 3',
          ),
          changes: { '/w/readme.md': lines('# Demo', '', 'How to add values.', '') },
        },
        'fs-context': 'not offered',
        fs: 'not offered',
      },
    },
    'two places, one of which is not there': {
      calls: {
        polyfs: [
          'edit_file',
          {
            path: 'src/sum.ts',
            edits: [
              { old_string: 'one = 1', new_string: 'one = 10' },
              { old_string: 'three', new_string: '3' },
            ],
          },
        ],
        clarvis: [
          'multi_edit',
          {
            path: 'readme.md',
            edits: [
              { old_string: '# Sums', new_string: '# Demo' },
              { old_string: 'letters', new_string: 'values' },
            ],
          },
        ],
        replay: [
          'edit_file',
          {
            path: '/w/readme.md',
            edits: [
              { oldText: '# Sums', newText: '# Demo' },
              { oldText: 'letters', newText: 'values' },
            ],
          },
        ],
        'file-editor': [
          'apply_diffs',
          {
            path: 'readme.md',
            search_content: ['# Sums', 'How to add letters.'],
            replace_content: ['# Demo', 'How to add values.'],
            start_line: [1, 3],
          },
        ],
        'fs-context': 'not offered',
        fs: 'not offered',
      },
      answers: {
        polyfs:
          'isError: no_match: old_string of edit 2 is not in src/sum.ts: the file has nothing similar. Read the file again and copy the text from it.',
        clarvis:
          'isError: {"error":"no_match","message":"edit[1]: old_string was not found in readme.md. Copy it verbatim from the file.","path":"readme.md","index":1}',
        replay: 'error -32603: oldText not found: letters',
        'file-editor': lines(
          'isError: Error: Atomic operation failed: 1/2 diffs would fail. No changes applied.',
          '',
          'Detailed results:',
          '',
          'Diff 1:',
          '  Status: aborted',
          '  Start Line: 1',
          '  Message: Operation aborted due to validation failures in atomic mode',
          '',
          'Diff 2:',
          '  Status: fail',
          '  Start Line: 3',
          '  Message: Content mismatch at line 3 (actual: 3).',
          '',
          'Expected content:',
          '3 | How to add letters.',
          '',
          'Actual content:',
          '3 | How to add numbers.',
          '',
          'This is diff #2 in the batch.',
        ),
        'fs-context': 'not offered',
        fs: 'not offered',
      },
    },
    'several files alike': {
      calls: {
        polyfs: 'not offered',
        clarvis: 'not offered',
        replay: [
          'edit_files',
          { paths: ['/w/src/*.ts'], edits: [{ oldText: 'export', newText: 'declare', limit: 0 }] },
        ],
        'file-editor': 'not offered',
        'fs-context': 'not offered',
        fs: 'not offered',
      },
      answers: {
        polyfs: 'not offered',
        clarvis: 'not offered',
        replay: {
          says: lines('Successfully edited /w/src/sum.ts', '/w/src/use.ts: [error -32603] oldText not found: export'),
          changes: {
            '/w/src/sum.ts': lines(
              'declare const one = 1',
              'declare const two = 2',
              'declare const sum = one + two',
              '',
            ),
          },
        },
        'file-editor': 'not offered',
        'fs-context': 'not offered',
        fs: 'not offered',
      },
    },
    'by the number of a line, to insert before it': {
      calls: {
        polyfs: ['edit_file', { path: 'readme.md', insert_line: 2, new_string: 'New.' }],
        clarvis: 'not offered',
        replay: 'not offered',
        'file-editor': ['insert_contents', { path: 'readme.md', line: 3, content: 'New.' }],
        'fs-context': 'not offered',
        fs: 'not offered',
      },
      answers: {
        polyfs: {
          says: lines(
            'edited readme.md: 1 place (+1 -0), line 3',
            '@@ -2,2 +2,3 @@',
            ' ',
            '+New.',
            ' How to add numbers.',
            '[hash 7350a34bdd2ecabc]\n[change 1]',
          ),
          changes: { '/w/readme.md': lines('# Sums', '', 'New.', 'How to add numbers.', '') },
        },
        clarvis: 'not offered',
        replay: 'not offered',
        'file-editor': {
          says: 'Successfully inserted 1 line(s) at position 3 in readme.md. File now has 5 lines.',
          changes: { '/w/readme.md': lines('# Sums', '', 'New.', 'How to add numbers.', '') },
        },
        'fs-context': 'not offered',
        fs: 'not offered',
      },
    },
    'by a patch': {
      calls: {
        polyfs: [
          'apply_patch',
          { patch: lines('--- a/readme.md', '+++ b/readme.md', '@@ -1,2 +1,2 @@', '-# Sums', '+# Demo', ' ', '') },
        ],
        clarvis: [
          'apply_patch',
          { patch: lines('--- a/readme.md', '+++ b/readme.md', '@@ -1,2 +1,2 @@', '-# Sums', '+# Demo', ' ', '') },
        ],
        replay: 'not offered',
        'file-editor': 'not offered',
        'fs-context': 'not offered',
        fs: 'not offered',
      },
      answers: {
        polyfs: {
          says: lines('M readme.md (+1 -1)', '[1 file changed (+1 -1)]\n[change 1]'),
          changes: { '/w/readme.md': lines('# Demo', '', 'How to add numbers.', '') },
        },
        clarvis: {
          says: 'Applied patch:\n  M readme.md (+1 -1)',
          changes: { '/w/readme.md': lines('# Demo', '', 'How to add numbers.', '') },
        },
        replay: 'not offered',
        'file-editor': 'not offered',
        'fs-context': 'not offered',
        fs: 'not offered',
      },
    },
  },
  delete: {
    'a file': {
      calls: {
        polyfs: ['delete', { path: 'src/use.ts' }],
        clarvis: [
          'apply_patch',
          { patch: lines('--- a/src/use.ts', '+++ /dev/null', '@@ -1 +0,0 @@', '-add(1, 2)', '') },
        ],
        replay: ['delete_file', { path: '/w/src/use.ts' }],
        'file-editor': 'not offered',
        'fs-context': 'not offered',
        fs: 'not offered',
      },
      answers: {
        polyfs: { says: 'deleted src/use.ts\n[change 1]', changes: { '/w/src/use.ts': null } },
        clarvis: { says: 'Applied patch:\n  D src/use.ts (+0 -1)', changes: { '/w/src/use.ts': null } },
        replay: { says: 'Deleted /w/src/use.ts', changes: { '/w/src/use.ts': null } },
        'file-editor': 'not offered',
        'fs-context': 'not offered',
        fs: 'not offered',
      },
    },
    'a missing file': {
      calls: {
        polyfs: ['delete', { path: 'no.txt' }],
        clarvis: ['apply_patch', { patch: lines('--- a/no.txt', '+++ /dev/null', '@@ -1 +0,0 @@', '-a', '') }],
        replay: ['delete_file', { path: '/w/no.txt' }],
        'file-editor': 'not offered',
        'fs-context': 'not offered',
        fs: 'not offered',
      },
      answers: {
        polyfs: 'isError: not_found: no.txt does not exist. Look for it with glob or list_dir.',
        clarvis: 'isError: {"error":"not_found","message":"No such file: no.txt","path":"no.txt"}',
        replay: 'error -32002: failed to delete "/w/no.txt": No such file or directory',
        'file-editor': 'not offered',
        'fs-context': 'not offered',
        fs: 'not offered',
      },
    },
  },
  move: {
    'a file': {
      calls: {
        polyfs: ['move', { source: 'src/use.ts', destination: 'used.ts' }],
        clarvis: [
          'apply_patch',
          {
            patch: lines(
              'diff --git a/src/use.ts b/used.ts',
              'similarity index 100%',
              'rename from src/use.ts',
              'rename to used.ts',
              '',
            ),
          },
        ],
        replay: ['move_file', { source: '/w/src/use.ts', destination: '/w/used.ts' }],
        'file-editor': 'not offered',
        'fs-context': 'not offered',
        fs: 'not offered',
      },
      answers: {
        polyfs: {
          says: 'moved src/use.ts to used.ts\n[change 1]',
          changes: { '/w/src/use.ts': null, '/w/used.ts': lines('add(1, 2)', '') },
        },
        clarvis: {
          says: 'Applied patch:\n  R src/use.ts -> used.ts',
          changes: { '/w/src/use.ts': null, '/w/used.ts': 'add(1, 2)\n' },
        },
        replay: {
          says: 'Moved /w/src/use.ts -> /w/used.ts',
          changes: { '/w/src/use.ts': null, '/w/used.ts': 'add(1, 2)\n' },
        },
        'file-editor': 'not offered',
        'fs-context': 'not offered',
        fs: 'not offered',
      },
    },
    'over a file': {
      calls: {
        polyfs: ['move', { source: 'src/use.ts', destination: 'readme.md' }],
        clarvis: [
          'apply_patch',
          {
            patch: lines(
              'diff --git a/src/use.ts b/readme.md',
              'similarity index 100%',
              'rename from src/use.ts',
              'rename to readme.md',
              '',
            ),
          },
        ],
        replay: ['move_file', { source: '/w/src/use.ts', destination: '/w/readme.md' }],
        'file-editor': 'not offered',
        'fs-context': 'not offered',
        fs: 'not offered',
      },
      answers: {
        polyfs:
          'isError: exists: readme.md exists already. Choose another name, or delete it first.\noverwrite: true replaces it.',
        clarvis:
          'isError: {"error":"invalid_input","message":"Rename destination already exists: readme.md","path":"readme.md"}',
        replay: {
          says: 'Moved /w/src/use.ts -> /w/readme.md',
          changes: { '/w/readme.md': 'add(1, 2)\n', '/w/src/use.ts': null },
        },
        'file-editor': 'not offered',
        'fs-context': 'not offered',
        fs: 'not offered',
      },
    },
  },
  'choose the directory to work in': {
    below: {
      calls: {
        polyfs: 'not offered',
        clarvis: 'not offered',
        replay: 'not offered',
        'file-editor': ['set_workspace', { path: 'src' }],
        'fs-context': 'not offered',
        fs: 'not offered',
      },
      answers: {
        polyfs: 'not offered',
        clarvis: 'not offered',
        replay: 'not offered',
        'file-editor': 'Successfully set workspace root to: /w/src',
        'fs-context': 'not offered',
        fs: 'not offered',
      },
    },
    outside: {
      calls: {
        polyfs: 'not offered',
        clarvis: 'not offered',
        replay: 'not offered',
        'file-editor': ['set_workspace', { path: '/out' }],
        'fs-context': 'not offered',
        fs: 'not offered',
      },
      answers: {
        polyfs: 'not offered',
        clarvis: 'not offered',
        replay: 'not offered',
        'file-editor': 'isError: Error: Access denied: Path is outside the workspace boundary',
        'fs-context': 'not offered',
        fs: 'not offered',
      },
    },
  },
  copy: {
    'a directory': {
      calls: {
        polyfs: ['copy', { source: 'src', destination: 'copied' }],
        clarvis: 'not offered',
        replay: 'not offered',
        'file-editor': 'not offered',
        'fs-context': 'not offered',
        fs: 'not offered',
      },
      answers: {
        polyfs: {
          says: 'copied src to copied (3 entries)\n[change 1]',
          changes: {
            '/w/copied/': '',
            '/w/copied/sum.ts': lines(
              'export const one = 1',
              'export const two = 2',
              'export const sum = one + two',
              '',
            ),
            '/w/copied/use.ts': lines('add(1, 2)', ''),
          },
        },
        clarvis: 'not offered',
        replay: 'not offered',
        'file-editor': 'not offered',
        'fs-context': 'not offered',
        fs: 'not offered',
      },
    },
  },
  'go back in history': {
    'with nothing to take back': {
      calls: {
        polyfs: ['history', { action: 'undo' }],
        clarvis: 'not offered',
        replay: 'not offered',
        'file-editor': 'not offered',
        'fs-context': 'not offered',
        fs: 'not offered',
      },
      answers: {
        polyfs:
          'isError: unknown_point: There is no change to undo. Use history with action "list" to see changes and checkpoints.',
        clarvis: 'not offered',
        replay: 'not offered',
        'file-editor': 'not offered',
        'fs-context': 'not offered',
        fs: 'not offered',
      },
    },
  },
  archive: {
    'a file that does not exist': {
      calls: {
        polyfs: ['archive', { action: 'list', path: 'readme.md' }],
        clarvis: 'not offered',
        replay: 'not offered',
        'file-editor': 'not offered',
        'fs-context': 'not offered',
        fs: 'not offered',
      },
      answers: {
        polyfs:
          'isError: bad_archive: The archive readme.md is refused: it is not a zip archive. Nothing was unpacked. Make or get another archive; no option allows it.',
        clarvis: 'not offered',
        replay: 'not offered',
        'file-editor': 'not offered',
        'fs-context': 'not offered',
        fs: 'not offered',
      },
    },
  },
  git: {
    'without a repository': {
      calls: {
        polyfs: ['git', { action: 'status' }],
        clarvis: 'not offered',
        replay: 'not offered',
        'file-editor': 'not offered',
        'fs-context': 'not offered',
        fs: 'not offered',
      },
      answers: {
        polyfs:
          'isError: not_a_repository: There is no git repository at . or above. Make one with git and action "init".',
        clarvis: 'not offered',
        replay: 'not offered',
        'file-editor': 'not offered',
        'fs-context': 'not offered',
        fs: 'not offered',
      },
    },
  },
  refuse: {
    'to read outside': {
      calls: {
        polyfs: ['read_file', { path: '../out/secret.txt' }],
        clarvis: ['read_file', { path: '../out/secret.txt' }],
        replay: ['read_file', { path: '/out/secret.txt' }],
        'file-editor': ['read_files', { path: '../out/secret.txt' }],
        'fs-context': ['read_file', { path: '/out/secret.txt' }],
        fs: ['fs.read_file', { path: '../out/secret.txt' }],
      },
      answers: {
        polyfs:
          'isError: outside: ../out/secret.txt is outside the workspace, or leads out of it. Only what is inside its roots can be reached; the workspace tool lists them.',
        clarvis:
          'isError: {"error":"path_escape","message":"Path escapes the workspace root: ../out/secret.txt (set ALLOW_OUTSIDE_WORKSPACE=1 to permit)","path":"../out/secret.txt"}',
        replay:
          'error -32001: Path not allowed: /out/secret.txt is outside the allowed directories (use list_allowed_directories to see them)',
        'file-editor': 'isError: Error: Access denied: Path is outside the workspace boundary',
        'fs-context': lines(
          "isError: Error [E_ACCESS_DENIED]: Access denied: Path '/out/secret.txt' is outside allowed directories",
          'Path: /out/secret.txt',
          'Suggestion: Check that the path is within an allowed directory. Use list_allowed_directories to see available paths.',
        ),
        fs: 'error -32603: read_file_failed: path escapes repository root: /out/secret.txt',
      },
    },
    'to read through a link that leads outside': {
      calls: {
        polyfs: ['read_file', { path: 'leak' }],
        clarvis: ['read_file', { path: 'leak' }],
        replay: ['read_file', { path: '/w/leak' }],
        'file-editor': ['read_files', { path: 'leak' }],
        'fs-context': ['read_file', { path: '/w/leak' }],
        fs: ['fs.read_file', { path: 'leak' }],
      },
      answers: {
        polyfs:
          'isError: outside: leak is outside the workspace, or leads out of it. Only what is inside its roots can be reached; the workspace tool lists them.',
        clarvis:
          'isError: {"error":"path_escape","message":"Path escapes the workspace root: leak (set ALLOW_OUTSIDE_WORKSPACE=1 to permit)","path":"leak"}',
        replay:
          'error -32001: Path not allowed: /w/leak is outside the allowed directories (use list_allowed_directories to see them)',
        'file-editor': 'isError: Error: Access denied: Path is outside the workspace boundary',
        'fs-context': lines(
          "isError: Error [E_ACCESS_DENIED]: Access denied: Path '/w/leak' is outside allowed directories.",
          'Allowed: /w',
          'Path: /w/leak',
          'Suggestion: Check that the path is within an allowed directory. Use list_allowed_directories to see available paths.',
        ),
        fs: 'error -32603: read_file_failed: path escapes repository root: /w/leak',
      },
    },
    'to list outside': {
      calls: {
        polyfs: ['list_dir', { path: '../out' }],
        clarvis: ['list_dir', { path: '../out' }],
        replay: ['list_directory', { path: '/out' }],
        'file-editor': ['list_files', { path: '../out' }],
        'fs-context': ['list_directory', { path: '/out' }],
        fs: ['fs.list_files', { root: '../out' }],
      },
      answers: {
        polyfs:
          'isError: outside: ../out is outside the workspace, or leads out of it. Only what is inside its roots can be reached; the workspace tool lists them.',
        clarvis:
          'isError: {"error":"path_escape","message":"Path escapes the workspace root: ../out (set ALLOW_OUTSIDE_WORKSPACE=1 to permit)","path":"../out"}',
        replay:
          'error -32001: Path not allowed: /out is outside the allowed directories (use list_allowed_directories to see them)',
        'file-editor': 'isError: Error: Access denied: Path is outside the workspace boundary',
        'fs-context': lines(
          "isError: Error [E_ACCESS_DENIED]: Access denied: Path '/out' is outside allowed directories",
          'Path: /out',
          'Suggestion: Check that the path is within an allowed directory. Use list_allowed_directories to see available paths.',
        ),
        fs: 'error -32603: list_files_failed: list_files root escapes repository root: ../out',
      },
    },
    'to write outside': {
      calls: {
        polyfs: ['write_file', { path: '../out/new.txt', content: 'a' }],
        clarvis: ['write_file', { path: '../out/new.txt', content: 'a' }],
        replay: ['write_file', { path: '/out/new.txt', content: 'a' }],
        'file-editor': ['write_files', { path: '../out/new.txt', content: 'a', line_count: 1 }],
        'fs-context': 'not offered',
        fs: 'not offered',
      },
      answers: {
        polyfs:
          'isError: outside: ../out/new.txt is outside the workspace, or leads out of it. Only what is inside its roots can be reached; the workspace tool lists them.',
        clarvis:
          'isError: {"error":"path_escape","message":"Path escapes the workspace root: ../out/new.txt (set ALLOW_OUTSIDE_WORKSPACE=1 to permit)","path":"../out/new.txt"}',
        replay:
          'error -32001: Path not allowed: /out/new.txt is outside the allowed directories (use list_allowed_directories to see them)',
        'file-editor':
          'isError: Error: Failed to write 1 file(s): ../out/new.txt: Access denied: Path is outside the workspace boundary',
        'fs-context': 'not offered',
        fs: 'not offered',
      },
    },
    'a call that lacks an argument': {
      calls: {
        polyfs: ['read_file', {}],
        clarvis: ['read_file', {}],
        replay: ['read_file', {}],
        'file-editor': ['read_files', {}],
        'fs-context': ['read_file', {}],
        fs: ['fs.read_file', {}],
      },
      answers: {
        polyfs: 'isError: invalid_input: Invalid arguments: path is required. Correct them and call again.',
        clarvis: 'isError: {"error":"invalid_input","message":"data must have required property \'path\'"}',
        replay: 'error -32602: Missing required param: path',
        'file-editor': 'isError: Error: Invalid file path: must be a non-empty string',
        'fs-context': lines(
          'isError: Error [E_INVALID_INPUT]: Input validation error: Invalid arguments for tool read_file: path: Invalid input: expected string, received undefined',
          'Suggestion: One or more input parameters are invalid. Check the tool documentation for correct usage.',
        ),
        fs: 'error -32602: failed to deserialize parameters: missing field `path`',
      },
    },
    'an argument of the wrong type': {
      calls: {
        polyfs: ['read_file', { path: {} }],
        clarvis: ['read_file', { path: 7 }],
        replay: ['read_file', { path: 7 }],
        'file-editor': ['read_files', { path: 7 }],
        'fs-context': ['read_file', { path: 7 }],
        fs: ['fs.read_file', { path: 7 }],
      },
      answers: {
        polyfs: 'isError: invalid_input: Invalid arguments: path must be a string. Correct them and call again.',
        clarvis: 'isError: {"error":"invalid_input","message":"data/path must be string"}',
        replay: 'error -32602: Missing required param: path',
        'file-editor': 'isError: Error: Invalid file path: must be a non-empty string',
        'fs-context': lines(
          'isError: Error [E_INVALID_INPUT]: Input validation error: Invalid arguments for tool read_file: path: Invalid input: expected string, received number',
          'Suggestion: One or more input parameters are invalid. Check the tool documentation for correct usage.',
        ),
        fs: 'error -32602: failed to deserialize parameters: invalid type for `path`, expected string',
      },
    },
    'a tool that does not exist': {
      calls: {
        polyfs: ['no_tool', {}],
        clarvis: ['no_tool', {}],
        replay: ['no_tool', {}],
        'file-editor': ['no_tool', {}],
        'fs-context': ['no_tool', {}],
        fs: ['no_tool', {}],
      },
      answers: {
        polyfs:
          'isError: unknown_tool: There is no tool "no_tool" here. Use one of those listed; some are not offered in a read-only workspace or without a shell.',
        clarvis: 'isError: {"error":"not_found","message":"Unknown tool: no_tool"}',
        replay: 'error -32601: Unknown tool: no_tool',
        'file-editor': 'isError: Error: Unknown tool: no_tool',
        'fs-context': 'error -32602: Tool no_tool not found',
        fs: 'error -32602: tool not found',
      },
    },
  },
}

describe.each(Object.entries(tables))('%s', (_operation, situations) => {
  test.each(Object.entries(situations))('%s', async (_situation, { calls, answers }) => {
    expect(await inEveryDialect(calls)).toEqual(answers)
  })
})

test('every tool is in a table, except those that run commands or report creation times', () => {
  const calls = Object.values(tables).flatMap((table) => Object.values(table).map((situation) => situation.calls))
  const exempt = /^(get_(multiple_)?)?file_info$/
  // Those of models' vendors are compared with their SDKs instead.
  const ofVendors = ['anthropic', 'openai', 'gemini']
  for (const { name, tools } of Object.values(dialects).filter((one) => !ofVendors.includes(one.name))) {
    const called = new Set(calls.map(({ [name as Name]: call }) => (call === 'not offered' ? undefined : call[0])))
    const due = tools.filter((tool) => tool.needs !== 'shell').map((tool) => tool.name)
    const missing = due.filter((tool) => !called.has(tool) && !exempt.test(tool))
    expect({ name, missing }).toEqual({ name, missing: [] })
  }
})

async function inEveryDialect(calls: Calls): Promise<Answers> {
  const answers = Object.entries(calls).map(async ([name, call]) => {
    return [name, call === 'not offered' ? call : await answerOf(dialects[name] as Dialect, call)]
  })
  return Object.fromEntries(await Promise.all(answers))
}

async function answerOf(dialect: Dialect, call: Call): Promise<Answer> {
  const raw = await sharedTree()
  const workspace = createWorkspace({ fs: raw, roots: [{ path: '/w', access: 'read-write' }] })
  const session: Session = {}
  if (dialect.choosesWorkspace) await callTool(workspace, dialect, 'set_workspace', { path: '/w' }, { session })
  const before = await treeOf(raw)
  const says = await answerTo(call, workspace, dialect, session)
  const changes = changesBetween(before, await treeOf(raw))
  return Object.keys(changes).length === 0 ? says : { says, changes }
}

/** All files have the same time, because some dialects sort by time or print it. */
async function sharedTree(): Promise<FileSystem> {
  const raw = memory(files)
  for (const [path, target] of Object.entries(links)) await raw.symlink?.(target, path)
  for (const path of Object.keys(files)) await raw.setModified?.(path, Date.UTC(2024, 0, 2))
  for (const path of ['/w/src', '/w', '/out']) await raw.setModified?.(path, Date.UTC(2024, 0, 2))
  return raw
}

async function answerTo([tool, args]: Call, workspace: Workspace, dialect: Dialect, session: Session) {
  try {
    return withoutSessions(textOf(await callTool(workspace, dialect, tool, args, { session, onFault })))
  } catch (error) {
    if (!(error instanceof ToolProtocolError)) throw error
    return `error ${error.code}: ${error.message}`
  }
}

/** An internal fault fails the test. */
function onFault(fault: unknown): never {
  throw fault
}

function textOf({ content, isError }: ToolResult): string {
  const items = content.map((item) =>
    item.type === 'text' ? item.text : JSON.stringify(item.type === 'resource' ? item.resource : item),
  )
  return `${isError ? 'isError: ' : ''}${items.join('\n')}`
}

async function treeOf(raw: FileSystem, directory = '/'): Promise<Tree> {
  const tree: Tree = {}
  for (const { name, kind } of await raw.readDir(directory)) {
    const path = `${directory}${name}`
    if (kind === 'file') tree[path] = new TextDecoder().decode(await raw.readFile(path))
    else if (kind === 'symlink') tree[path] = `-> ${await raw.readLink?.(path)}`
    else Object.assign(tree, { [`${path}/`]: '' }, await treeOf(raw, `${path}/`))
  }
  return tree
}

function changesBetween(before: Tree, after: Tree): Tree {
  const paths = [...Object.keys(before), ...Object.keys(after)].filter((path) => before[path] !== after[path])
  return Object.fromEntries(paths.map((path) => [path, after[path] ?? null]))
}

function lines(...parts: string[]): string {
  return parts.join('\n')
}

/**
 * The names that other file servers have for our parameters. A name is in here only where its meaning is beyond doubt: `timeout` is not,
 * because some count it in seconds and others in milliseconds. Upper and lower case, `_` and `-` do not count, so `filePath` and
 * `file-path` are the same name here.
 */

/** Another meaning of a value: a flag with the opposite sense, or another unit. */
export interface Meaning {
  parameter: string
  /** Undefined where the value can't have this meaning. */
  convert?(value: unknown): unknown
}

type Names = Readonly<Record<string, readonly string[]>>

/** For every tool that has the parameter, unless the tool has its own list. */
const common: Names = {
  path: [
    ...['file_path', 'filename', 'file_name', 'file', 'pathname', 'uri', 'target', 'target_file', 'target_path'],
    ...['directory', 'dir', 'folder', 'directory_path', 'dir_path', 'folder_path'],
    ...['absolute_path', 'relative_path', 'relative_workspace_path', 'search_path', 'base_path', 'full_path'],
  ],
  paths: ['file_paths', 'files', 'filenames', 'file_names', 'path_list', 'file_list', 'targets'],
  exclude: ['excludes', 'exclude_pattern', 'exclude_patterns', 'exclude_glob', 'exclude_globs', 'excluded'],
  ignored: ['include_ignored', 'show_ignored', 'no_ignore', 'with_ignored'],
  limit: [
    ...['max_results', 'max_result', 'max_matches', 'max_count', 'head_limit', 'result_limit', 'max_lines'],
    ...['num_lines', 'number_of_lines', 'line_count', 'max_entries', 'max_files'],
  ],
  dry_run: ['preview', 'dry', 'simulate'],
  expected_hash: ['hash', 'expected_sha256', 'if_hash', 'base_hash', 'content_hash'],
  cursor: ['next_cursor', 'page_token', 'next_page_token', 'continuation_token'],
  max_tokens: ['token_limit', 'max_output_tokens', 'token_budget'],
  action: ['operation', 'op', 'subcommand', 'mode', 'command'],
}

const between: Names = {
  source: ['src', 'from', 'source_path', 'from_path', 'old_path', 'path', 'file_path', 'origin'],
  destination: ['dest', 'dst', 'to', 'target', 'destination_path', 'dest_path', 'target_path', 'to_path', 'new_path'],
  sources: ['source_paths', 'paths', 'files', 'from_paths'],
  pairs: ['moves', 'renames', 'copies', 'items'],
  overwrite: ['force', 'replace', 'replace_existing', 'allow_overwrite'],
}

const byTool: Readonly<Record<string, Names>> = {
  read_file: {
    offset: ['start_line', 'line_start', 'start', 'from_line', 'first_line', 'line_offset', 'start_line_one_indexed'],
    limit: [...(common.limit ?? []), 'head', 'lines', 'count'],
    ranges: ['line_ranges', 'range', 'line_range', 'view_range', 'view_ranges'],
  },
  list_dir: {
    depth: ['max_depth', 'levels', 'level'],
    glob: ['pattern', 'filter', 'include', 'glob_pattern'],
    sort: ['sort_by', 'order_by', 'order'],
    details: ['long', 'verbose', 'detailed', 'with_sizes', 'show_details'],
  },
  glob: {
    pattern: ['glob', 'glob_pattern', 'query', 'file_pattern', 'search', 'search_pattern', 'name', 'name_pattern'],
    sort: ['sort_by', 'order_by', 'order'],
  },
  grep: {
    pattern: [
      ...['query', 'regex', 'regexp', 'search', 'search_pattern', 'search_term', 'search_text', 'search_string'],
      ...['text', 'term', 'keyword', 'needle', 'expression', 'q'],
    ],
    glob: [
      'include',
      'includes',
      'include_pattern',
      'include_glob',
      'file_pattern',
      'file_glob',
      'files_glob',
      'filter',
    ],
    context: ['context_lines', 'lines_of_context', 'num_context_lines', 'c'],
    output: ['output_mode', 'output_format', 'mode'],
    ignore_case: ['case_insensitive', 'insensitive', 'i', 'case_insensitive_search'],
    literal: ['fixed_strings', 'fixed_string', 'is_literal', 'literal_search', 'plain_text'],
    start_line: ['from_line', 'line_start', 'first_line'],
    end_line: ['to_line', 'line_end', 'last_line'],
  },
  write_file: {
    content: ['contents', 'text', 'file_text', 'file_content', 'file_contents', 'data', 'body', 'new_content'],
    create_only: ['no_overwrite', 'exclusive', 'only_new', 'must_not_exist'],
    parents: ['create_dirs', 'create_directories', 'make_dirs', 'mkdirs', 'make_parents', 'create_parents'],
  },
  edit_file: {
    old_string: ['old_str', 'old_text', 'old', 'find', 'search', 'search_string', 'search_text', 'old_content'],
    new_string: [
      ...['new_str', 'new_text', 'new', 'replace', 'replacement', 'replace_with', 'replace_string', 'new_content'],
      'insert_text',
    ],
    replace_all: ['global', 'all', 'all_occurrences', 'allow_multiple', 'replace_all_occurrences'],
    regex: ['is_regex', 'use_regex', 'regexp', 'is_regexp'],
    edits: ['changes', 'replacements', 'edit', 'operations', 'modifications'],
    start_line: ['start', 'from_line', 'line_start', 'first_line'],
    end_line: ['end', 'to_line', 'line_end', 'last_line'],
    insert_line: ['insert_after', 'insert_after_line', 'after_line'],
    expected_count: ['expected_replacements', 'expected_matches', 'expected_places', 'expected_occurrences'],
    glob: ['include', 'file_pattern', 'files_glob', 'file_glob', 'glob_pattern'],
  },
  apply_patch: { patch: ['diff', 'input', 'patch_text', 'patch_content', 'unified_diff', 'content'] },
  move: between,
  copy: between,
  delete: { recursive: ['recurse', 'r'] },
  bash: {
    command: ['cmd', 'script', 'command_line', 'shell_command', 'commands', 'bash_command', 'cmdline'],
    cwd: ['working_directory', 'working_dir', 'workdir', 'work_dir', 'directory', 'dir', 'path', 'current_directory'],
    timeout_ms: ['timeout_millis', 'timeout_milliseconds', 'timeout_in_ms'],
    session: ['session_id', 'session_name', 'terminal', 'terminal_id', 'shell_id'],
  },
  history: { point: ['id', 'change', 'change_id', 'checkpoint', 'checkpoint_name', 'name', 'to', 'point_id'] },
  git: {
    path: ['repo', 'repo_path', 'repository', 'repository_path', 'directory', 'dir', 'cwd', 'working_directory'],
    paths: ['files', 'file_paths', 'pathspec', 'pathspecs', 'file_path', 'file'],
    revision: ['rev', 'ref', 'commit', 'sha', 'commit_hash', 'commit_sha', 'range', 'revision_range'],
    message: ['msg', 'm', 'commit_message'],
    staged: ['cached'],
    url: ['repo_url', 'repository_url', 'remote_url', 'clone_url'],
  },
  archive: {
    path: ['archive', 'archive_path', 'zip', 'zip_path', 'zip_file', 'file', 'file_path', 'filename'],
    destination: ['dest', 'dst', 'to', 'target', 'output_dir', 'output_directory', 'extract_to', 'destination_path'],
    include: ['includes', 'patterns', 'globs', 'glob', 'include_patterns'],
    existing: ['on_conflict', 'if_exists', 'on_existing'],
  },
}

/** Names for the opposite of a flag. */
const opposites: Readonly<Record<string, Names>> = {
  grep: { ignore_case: ['case_sensitive', 'match_case'], literal: ['regex', 'is_regex', 'use_regex', 'regexp'] },
  write_file: { create_only: ['overwrite', 'replace'] },
  move: { overwrite: ['no_clobber', 'no_overwrite'] },
}

/** Names with their own unit or shape. */
const converted: Readonly<Record<string, Readonly<Record<string, Meaning>>>> = {
  bash: {
    timeoutseconds: { parameter: 'timeout_ms', convert: inThousandths },
    timeoutsec: { parameter: 'timeout_ms', convert: inThousandths },
    timeoutsecs: { parameter: 'timeout_ms', convert: inThousandths },
  },
  read_file: {
    tail: { parameter: 'offset', convert: fromTheEnd },
    taillines: { parameter: 'offset', convert: fromTheEnd },
  },
}

/** What some clients send with every call for people to read. It changes nothing. */
export const remarks: ReadonlySet<string> = new Set(['description', 'explanation', 'tooldescription', 'toolsummary'])

function inThousandths(value: unknown): unknown {
  const seconds = Number(value)
  return isNumeric(value) && seconds > 0 ? Math.ceil(seconds * 1000) : undefined
}

function fromTheEnd(value: unknown): unknown {
  const lines = Number(value)
  return isNumeric(value) && Number.isSafeInteger(lines) && lines > 0 ? -lines : undefined
}

function isNumeric(value: unknown): boolean {
  return typeof value === 'number' || (typeof value === 'string' && /^\d+(\.\d+)?$/.test(value))
}

function opposite(value: unknown): unknown {
  if (typeof value === 'boolean') return !value
  const text = typeof value === 'string' ? value.trim().toLowerCase() : ''
  return text === 'true' ? false : text === 'false' ? true : undefined
}

/** The parameters for several values, by those for one. In `git` and `archive`, `path` and `paths` name different things. */
export function pluralsOf(tool: string): Readonly<Record<string, string>> {
  return tool === 'git' || tool === 'archive' ? {} : { path: 'paths', source: 'sources' }
}

/** Equal for names that differ only in case, `_` and `-`. */
export function plainName(name: string): string {
  return name.replace(/[-_\s]/g, '').toLowerCase()
}

type OtherNames = ReadonlyMap<string, readonly Meaning[]>

/** By the properties of an object, of which each tool has its own. */
const known = new WeakMap<object, OtherNames>()

/** For an object of a tool: what each other name may mean, by its plain name. The value of a name with several meanings decides which is meant. */
export function otherNames(tool: string, properties: Readonly<Record<string, unknown>>): OtherNames {
  const found = known.get(properties) ?? meaningsOf(tool, Object.keys(properties))
  known.set(properties, found)
  return found
}

function meaningsOf(tool: string, parameters: readonly string[]): OtherNames {
  const meanings = new Map<string, Meaning[]>()
  const add = (name: string, meaning: Meaning) => {
    const plain = plainName(name)
    meanings.set(plain, [...(meanings.get(plain) ?? []), meaning])
  }
  const own = byTool[tool] ?? {}
  for (const parameter of parameters) {
    const names = own[parameter] ?? common[parameter] ?? []
    for (const name of new Set([parameter, ...names].map(plainName))) add(name, { parameter })
    for (const name of opposites[tool]?.[parameter] ?? []) add(name, { parameter, convert: opposite })
  }
  for (const [name, meaning] of Object.entries(converted[tool] ?? {})) {
    if (parameters.includes(meaning.parameter)) add(name, meaning)
  }
  return meanings
}

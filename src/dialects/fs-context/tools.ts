import * as z from 'zod'
import { FsError, isFsError } from '../../errors.js'
import { type Description, describeEntries, describeEntry } from '../../ops/describe-entry.js'
import { findFiles } from '../../ops/find-files.js'
import { listRoots } from '../../ops/list-roots.js'
import { inspectPattern, type MatcherSpec, searchText } from '../../ops/search-text.js'
import type { Dialect } from '../../tools/dialect.js'
import { compose, project } from '../../tools/make-tool.js'
import { defaultExcludes } from './default-excludes.js'
import { instructions } from './instructions.js'
import * as output from './output.js'
import {
  binaryExtensions,
  binaryWindow,
  checkPart,
  checkPath,
  type Defaults,
  defaultValues,
  excluded,
  excludes,
  globsOf,
  limitsWith,
  listingGlobs,
  maxTotalBytes,
  path,
  paths,
  readingOf,
  readingWith,
  relativeGlob,
  searchPath,
} from './parameters.js'
import { printRoots } from './print.js'
import { printContent, printContents } from './print-content.js'
import { printFound, printListing } from './print-files.js'
import { printInfo, printInfos } from './print-info.js'
import { printMatches, reportedUnits } from './print-matches.js'
import { readContent, readContents } from './read-content.js'
import { terse } from './terse-schemas.js'
import { fail } from './wording.js'

type Limits = ReturnType<typeof limitsWith>

const annotations = { readOnlyHint: true, idempotentHint: true, openWorldHint: true }

const listAllowedDirectories = project(listRoots, {
  name: 'list_allowed_directories',
  title: 'List Allowed Directories',
  description: 'List the directories that can be accessed. Call this first.',
  annotations: { ...annotations, openWorldHint: false },
  input: z.object({}),
  output: output.allowedDirectories,
  toOp: () => ({}),
  print: printRoots,
})

const listDirectory = ({ maxDepth, maxEntries }: Limits) =>
  project(findFiles, {
    name: 'list_directory',
    title: 'List Directory',
    description: 'List a directory: name, type, size and date of each entry. Symlinks are not followed.',
    annotations,
    input: z.object({
      path,
      recursive: z.boolean().default(false),
      includeHidden: z.boolean().default(false),
      excludePatterns: excludes.default([]),
      pattern: z.string().exactOptional().describe('Relative glob.'),
      maxDepth,
      maxEntries,
      sortBy: z.enum(['name', 'size', 'modified', 'type']).default('name'),
      includeSymlinkTargets: z.boolean().default(false),
    }),
    output: output.listing,
    toOp: (args) => ({
      path: args.path,
      ...listingGlobs,
      ...(args.pattern !== undefined && { include: [relativeGlob(args.pattern)] }),
      exclude: excluded(args.excludePatterns),
      hidden: args.includeHidden,
      directories: true,
      metadata: true,
      linkTargets: true,
      maxDepth: args.recursive ? args.maxDepth + 1 : 1,
      sortBy: args.sortBy,
      ties: 'name' as const,
      limit: args.maxEntries,
      // More entries are sorted than returned, up to a limit.
      maxMatches: Math.max(args.maxEntries, maxSorted),
    }),
    print: printListing,
  })

const maxSorted = 100_000

const searchExcludes = excludes.exactOptional().describe('Dependency and build folders unless given; [] for none.')

const searchFiles = ({ maxResults, maxDepth, maxFilesScanned, timeoutMs }: Limits) =>
  project(findFiles, {
    name: 'search_files',
    title: 'Search Files',
    description: 'Find files (not directories) by glob pattern, past common dependency and build folders.',
    annotations,
    input: z.object({
      path: searchPath,
      pattern: z.string().describe('Relative glob: **/*.ts'),
      excludePatterns: searchExcludes,
      maxResults,
      sortBy: z.enum(['name', 'size', 'modified', 'path']).default('path'),
      maxDepth,
      maxFilesScanned,
      timeoutMs,
      baseNameMatch: z.boolean().default(false).describe('A pattern without / matches at any depth.'),
      skipSymlinks: z
        .boolean()
        .default(true)
        .refine((skip) => skip, 'Following symbolic links is not supported for security reasons')
        .describe('Must be true.'),
      includeHidden: z.boolean().default(false),
    }),
    output: output.foundFiles,
    toOp: (args) => ({
      path: args.path,
      ...globsOf(args),
      include: [relativeGlob(args.pattern)],
      exclude: excluded(args.excludePatterns ?? defaultExcludes),
      others: false,
      metadata: true,
      maxDepth: args.maxDepth + 1,
      sortBy: args.sortBy,
      limit: args.maxResults,
      maxMatches: args.maxFilesScanned,
      timeoutMs: args.timeoutMs,
    }),
    print: printFound,
  })

const searchContent = ({ maxResults, maxFileSize, maxFilesScanned, timeoutMs }: Limits) =>
  project(searchText, {
    name: 'search_content',
    title: 'Search Content',
    description: 'Search the content of text files by regular expression, line by line. Case-insensitive by default.',
    annotations,
    input: z.object({
      path: searchPath,
      pattern: z.string().min(1).max(1000).describe('Regex without look-around and back-references.'),
      filePattern: z.string().default('**/*'),
      excludePatterns: searchExcludes,
      contextLines: z.int().min(0).max(10).default(0),
      caseSensitive: z.boolean().default(false),
      wholeWord: z.boolean().default(false),
      isLiteral: z.boolean().default(false),
      maxResults,
      maxFileSize,
      maxFilesScanned,
      timeoutMs,
      skipBinary: z.boolean().default(true),
      includeHidden: z.boolean().default(false),
      baseNameMatch: z.boolean().default(false).describe('As in search_files.'),
      caseSensitiveFileMatch: z.boolean().default(true),
    }),
    output: output.foundLines,
    toOp: (args, { limits }) => ({
      path: args.path,
      directoryOnly: true,
      ...globsOf(args),
      include: [relativeGlob(args.filePattern, 500)],
      exclude: excluded(args.excludePatterns ?? defaultExcludes),
      timeoutMs: args.timeoutMs,
      request: {
        matcher: safeMatcher({
          pattern: args.isLiteral ? args.pattern : withoutQuotes(args.pattern),
          syntax: args.isLiteral ? 'literal' : re2Only.test(args.pattern) ? 'rust' : 'ecmascript',
          ignoreCase: !args.caseSensitive,
          wholeWord: args.wholeWord,
        }),
        mode: 'content' as const,
        before: args.contextLines,
        after: args.contextLines,
        occurrences: true,
        limit: args.maxResults,
        maxFiles: args.maxFilesScanned,
        maxFileBytes: Math.min(args.maxFileSize, limits.maxFileBytes),
        text: args.skipBinary ? { nul: { first: binaryWindow }, binaryExtensions } : {},
        maxLineUnits: 100_000,
        maxReportedUnits: reportedUnits,
        timeoutMs: args.timeoutMs,
      },
    }),
    print: printMatches,
  })

/** Patterns use JavaScript syntax; RE2 also has inline flags, `(?P<name>…)`, `[[:alpha:]]`, `\A` and `\z`. */
const re2Only = /\(\?(P<|[imsU]*(-[imsU]+)?\))|\[\[:|\\[Az]/

/** Escapes what is between `\\Q` and `\\E`, where RE2 reads characters as they are. */
function withoutQuotes(pattern: string): string {
  return pattern.replace(/\\Q(.*?)(?:\\E|$)|\\./gs, (found, quoted?: string) => {
    return quoted === undefined ? found : quoted.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
  })
}

/** Refuses what RE2 does not support, as the original does, although our engine could run it safely. */
function safeMatcher(spec: MatcherSpec): MatcherSpec {
  const { pattern } = spec
  const { lookAround, backReferences, starHeight } = inspectPattern(spec)
  if (lookAround) throw new FsError('INVALID_PATTERN', { pattern, reason: 'look-around is not supported' })
  if (backReferences) throw new FsError('INVALID_PATTERN', { pattern, reason: 'back-references are not supported' })
  if (starHeight > 1) throw new FsError('PATTERN_TOO_COMPLEX', { pattern, reason: 'Avoid nested quantifiers.' })
  return spec
}

const readFile = (defaults: Defaults) =>
  compose({
    name: 'read_file',
    title: 'Read File',
    description: 'Read a text file, whole or some of its lines. For several files use read_multiple_files.',
    annotations,
    mutates: false,
    input: z
      .object({
        path,
        ...readingWith(defaults),
        skipBinary: z.boolean().default(true),
      })
      .check(checkPart),
    output: output.fileContent,
    async run(args, workspace) {
      const reading = readingOf(args, Math.min(defaults.maxReadBytes, workspace.limits.maxFileBytes))
      return printContent(await readContent(args.path, { ...reading, refuseBinary: args.skipBinary }, workspace), args)
    },
  })

const readMultipleFiles = (defaults: Defaults) =>
  compose({
    name: 'read_multiple_files',
    title: 'Read Multiple Files',
    description: 'Read up to 100 text files at once. Each reports its content or its error.',
    annotations,
    mutates: false,
    input: z
      .object({
        paths,
        ...readingWith(defaults),
        maxTotalSize: z
          .int()
          .min(1)
          .max(1024 ** 3)
          .default(100 * 1024 ** 2),
      })
      .check(checkPart),
    output: output.fileContents,
    async run(args, workspace, context) {
      const reading = readingOf(args, Math.min(defaults.maxReadBytes, workspace.limits.maxFileBytes))
      const maxTotalSize = maxTotalBytes(args.maxTotalSize)
      const outcomes = await readContents(args.paths, { ...reading, maxTotalBytes: maxTotalSize }, workspace, context)
      return printContents(outcomes, { ...args, maxTotalSize }, workspace)
    },
  })

const getFileInfo = project(describeEntry, {
  name: 'get_file_info',
  title: 'Get File Info',
  description: 'Tell type, size, dates, permissions and MIME type of a file or directory, without reading it.',
  annotations,
  input: z.object({ path }),
  output: output.fileInfo,
  toOp: (args) => ({ path: args.path }),
  print: printInfo,
})

const getMultipleFileInfo = compose({
  name: 'get_multiple_file_info',
  title: 'Get Multiple File Info',
  description: 'The same as get_file_info for up to 100 files and directories. Each reports its info or its error.',
  annotations,
  input: z.object({
    paths,
    includeMimeType: z.boolean().default(true),
  }),
  mutates: false,
  output: output.fileInfos,
  async run(args, workspace, context) {
    const outcomes = args.paths.map(blankOutcome)
    const paths = args.paths.filter((_, i) => outcomes[i] === undefined)
    const described = await workspace.run(describeEntries, { paths }, context)
    return printInfos(
      outcomes.map((outcome) => outcome ?? (described.shift() as Description)),
      args,
      workspace,
    )
  },
})

function blankOutcome(given: string): Description | undefined {
  try {
    checkPath(given)
    return undefined
  } catch (error) {
    if (!isFsError(error)) throw error
    return { given, error }
  }
}

/** The tools of the Filesystem Context MCP server: read-only, and every result is both text and data. */
export const fsContext: Dialect = fsContextWith({})

/** The dialect with some defaults replaced. */
export function fsContextWith(given: Partial<Defaults>): Dialect {
  const defaults = { ...defaultValues, ...given }
  const limits = limitsWith(defaults)
  const tools = [
    listAllowedDirectories,
    listDirectory(limits),
    searchFiles(limits),
    searchContent(limits),
    readFile(defaults),
    readMultipleFiles(defaults),
    getFileInfo,
    getMultipleFileInfo,
  ]
  return {
    name: 'fs-context',
    serverInfo: { name: 'filesystem-context-mcp', version: '1.3.0' },
    instructions,
    followsClientRoots: true,
    tools: tools.map(terse),
    fail,
  }
}

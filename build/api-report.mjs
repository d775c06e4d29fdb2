/**
 * The public surface as text: one file for each entry of package.json, with the declaration of every exported name, without comments and
 * without members marked `@internal`.
 * It reads the declarations in dist/types, so these have to be built first.
 */
import { readFile } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { parseAst } from 'vite'

/**
 * Reports by entry (`polyfs/fs`), and missing exports: types of ours that an exported declaration mentions and no entry exports.
 * Users could not name the type of such a value.
 */
export async function apiReports(root) {
  const { exports, name } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  const modules = moduleReader(root)
  const entries = new Map()
  for (const [path, target] of Object.entries(exports)) {
    if (target.types !== undefined)
      entries.set(posix.join(name, path), await exportsOf(compiledAs(target.types), modules))
  }
  const exported = new Set([...entries.values()].flatMap((names) => [...names.values()].map(idOf)))
  const missing = new Map()
  for (const [entry, names] of entries) {
    for (const [exportedAs, declared] of names) {
      for (const needed of await typesIn(declared, modules)) {
        if (!exported.has(idOf(needed))) missing.set(idOf(needed), `${entry}: ${exportedAs} needs ${idOf(needed)}`)
      }
    }
  }
  return {
    reports: new Map([...entries].map(([entry, names]) => [entry, print(entry, names)])),
    missing: [...missing.values()].sort(),
  }
}

/** The declarations of the compiler, in which a library is imported by its name. */
function compiledAs(types) {
  return types.replace('/declarations/', '/types/')
}

/** The file that holds the report of an entry, from the root of the repository. */
export function reportFile(entry) {
  return `docs/api/${entry.replaceAll('/', '-')}.txt`
}

function print(entry, names) {
  const declarations = [...names]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([exportedAs, { name, code, isType }]) => ({
      isType,
      text: exportedAs === name ? code : `${code}\nexport { ${name} as ${exportedAs} }`,
    }))
  const list = (isType) => declarations.filter((one) => one.isType === isType).map(({ text }) => text)
  const [values, types] = [list(false), list(true)]
  const head = `${entry}: ${values.length} values, ${types.length} types. Written by \`npm run api\`.`
  return `${[head, ...values, ...types].join('\n\n')}\n`
}

function idOf({ file, name }) {
  return `${name} of ${file.replace('dist/types/', '').replace('.d.ts', '')}`
}

/** Parsed declaration files by their path from the root, each read once. */
function moduleReader(root) {
  const known = new Map()
  return (file) => {
    if (!known.has(file)) known.set(file, readModule(root, file))
    return known.get(file)
  }
}

/** The names that a declaration file declares, imports and exports. */
async function readModule(root, file) {
  const source = await readFile(join(root, file), 'utf8')
  const module = { source, declared: new Map(), imported: new Map(), exported: new Map() }
  for (const statement of parseAst(source, { lang: 'dts' }).body) {
    const from = statement.source && targetOf(file, statement.source.value)
    switch (statement.type) {
      case 'ImportDeclaration':
        for (const { imported, local } of statement.specifiers) {
          if (imported) module.imported.set(local.name, { from, name: imported.name })
        }
        break
      case 'ExportNamedDeclaration':
        if (statement.declaration) declare(statement.declaration, true)
        for (const { local, exported } of statement.specifiers) {
          module.exported.set(exported.name, { from, name: local.name })
        }
        break
      case 'ExportAllDeclaration':
        throw new Error(`api: ${file} exports all of another module, where names should be listed`)
      default:
        declare(statement, false)
    }
  }
  return module

  function declare(node, isExported) {
    const nodes = node.type === 'VariableDeclaration' ? node.declarations : [node]
    for (const each of nodes) {
      const name = each.id?.name
      if (name === undefined) continue
      const before = module.declared.get(name) ?? []
      module.declared.set(name, [...before, node])
      if (isExported) module.exported.set(name, { name })
    }
  }
}

/** The declaration file that is imported; undefined for a library. */
function targetOf(file, specifier) {
  if (!specifier.startsWith('.')) return undefined
  return posix.join(posix.dirname(file), specifier.replace(/\.js$/, '.d.ts'))
}

async function exportsOf(types, modules) {
  const file = posix.normalize(types)
  const { exported } = await modules(file)
  const names = new Map()
  for (const name of exported.keys()) {
    const found = await declarationOf(file, name, modules)
    if (found === undefined) continue
    const isType = found.nodes.every(({ type }) => /^TS(Interface|TypeAlias)/.test(type))
    names.set(name, { ...found, isType, code: found.nodes.map((node) => codeOf(node, found.source)).join('\n') })
  }
  return names
}

/** Where a name of a module is declared, through imports and re-exports; undefined in a library. */
async function declarationOf(file, name, modules) {
  const { source, declared, imported, exported } = await modules(file)
  const nodes = declared.get(name)
  if (nodes !== undefined) return { file, name, nodes, source }
  const elsewhere = imported.get(name) ?? exported.get(name)
  if (elsewhere === undefined) return undefined
  if (elsewhere.from !== undefined) return declarationOf(elsewhere.from, elsewhere.name, modules)
  return elsewhere.name === name ? undefined : declarationOf(file, elsewhere.name, modules)
}

function codeOf(node, source) {
  let code = source.slice(node.start, node.end)
  for (const { start, end } of internalMembers(node, source).reverse()) {
    code = code.slice(0, start - node.start) + code.slice(end - node.start)
  }
  return code
    .replace(/^ *\/\*\*.*?\*\/\n/gms, '')
    .replace(/^ *\n/gm, '')
    .replace(/^declare /, '')
    .replace(/import\("[^"]+"\)\./g, '')
    .replace(/;$/gm, '')
    .replaceAll('    ', '  ')
}

/** Members marked `@internal`: declared for our own adapters, which are compiled with the declarations, but not public. */
function internalMembers(node, source) {
  const members = []
  visit(node)
  return members

  function visit(each) {
    if (typeof each !== 'object' || each === null) return
    if (/^TS(PropertySignature|MethodSignature)$/.test(each.type) && isInternal(each)) members.push(each)
    else for (const child of Object.values(each)) visit(child)
  }

  function isInternal({ start }) {
    const before = source.slice(0, start).trimEnd()
    return before.endsWith('*/') && before.slice(before.lastIndexOf('/**')).includes('@internal')
  }
}

/** The declarations of ours that a declaration names in its types. Global names, type parameters and libraries are left out. */
async function typesIn({ file, nodes, source }, modules) {
  const internal = new Set(nodes.flatMap((node) => internalMembers(node, source)))
  const parameters = new Set()
  const mentioned = []
  for (const node of nodes) visit(node)
  const found = await Promise.all(
    mentioned
      .filter(({ from, name }) => from !== undefined || !parameters.has(name))
      .map(({ from = file, name }) => declarationOf(from, name, modules)),
  )
  const ours = found.filter((declaration) => declaration !== undefined)
  // `typeof value`: the value need not be exported for its type to be usable, but the types that it names do.
  const [values, types] = [ours.filter(isVariable), ours.filter((declaration) => !isVariable(declaration))]
  return [...types, ...(await Promise.all(values.map((value) => typesIn(value, modules)))).flat()]

  function visit(node) {
    if (typeof node !== 'object' || node === null || internal.has(node)) return
    if (node.type === 'TSTypeParameter') parameters.add(node.name.name)
    if (node.type === 'TSMappedType') parameters.add(node.key.name)
    if (node.type === 'TSTypeReference') mention(node.typeName)
    if (node.type === 'TSTypeQuery' && node.exprName.type !== 'TSImportType') mention(node.exprName)
    if (node.type === 'TSInterfaceHeritage' || node.type === 'TSClassImplements') mention(node.expression)
    if (node.type === 'TSImportType') {
      const from = targetOf(file, node.source.value)
      if (from !== undefined && node.qualifier) mentioned.push({ from, name: leftmost(node.qualifier) })
    }
    for (const child of Object.values(node)) visit(child)
  }

  function mention(name) {
    mentioned.push({ name: leftmost(name) })
  }
}

function isVariable({ nodes }) {
  return nodes.every(({ type }) => type === 'VariableDeclaration')
}

function leftmost(name) {
  return name.type === 'TSQualifiedName' ? leftmost(name.left) : name.name
}

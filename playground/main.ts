import '../web/no-eval.js'
import { polyfs } from '../src/dialects/polyfs/tools.js'
import { memory } from '../src/fs/memory.js'
import { sampleProject } from '../src/sample-project.js'
import { createWorkspace } from '../src/workspace.js'
import { serveFiles } from '../web/endpoint.js'
import { connect } from './connection.js'

const files = await serveFiles({ workspace: createWorkspace({ fs: memory(sampleProject) }), dialect: polyfs })
const connection = await connect(files.connect())
const tools = await connection.listTools()

const form = element('call', HTMLFormElement)
const tool = element('tool', HTMLSelectElement)
const description = element('description', HTMLElement)
const args = element('arguments', HTMLTextAreaElement)
const result = element('result', HTMLElement)

tool.append(...tools.map(({ name }) => new Option(name, name)))
tool.addEventListener('change', describe)
form.addEventListener('submit', (event) => {
  event.preventDefault()
  void call()
})
describe()

function describe(): void {
  description.textContent = tools.find(({ name }) => name === tool.value)?.description ?? ''
}

async function call(): Promise<void> {
  try {
    const { content, isError } = await connection.callTool(tool.value, JSON.parse(args.value))
    result.textContent = content.map(({ text }) => text).join('\n')
    result.classList.toggle('failed', isError === true)
  } catch (error) {
    result.textContent = error instanceof SyntaxError ? `The arguments are not JSON: ${error.message}` : String(error)
  }
}

function element<Type extends HTMLElement>(id: string, type: abstract new () => Type): Type {
  const found = document.getElementById(id)
  if (!(found instanceof type)) throw new Error(`The page has no ${type.name} called ${id}`)
  return found
}

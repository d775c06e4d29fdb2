/** polyfs/dialect: to write a dialect, to choose among the tools of one, and to call them by name. */
export type {
  ArchiveFault,
  EditExplanation,
  EditFailureCause,
  GitRefusal,
  InputIssue,
  PatchExplanation,
  PathClash,
  PathFacts,
  PathFault,
} from '../errors.js'
export { type CallOptions, callTool, offeredTools, ToolProtocolError } from '../tools/call-tool.js'
export {
  type Content,
  type FailedCall,
  type Failure,
  type JsonSchema,
  type Prompt,
  type ResourceContent,
  type ResourcePage,
  type Resources,
  type Tool,
  type ToolAnnotations,
  type ToolGroup,
  type ToolSchema,
  toolGroups,
} from '../tools/dialect.js'
export { type Composition, compose, type Projection, project } from '../tools/make-tool.js'
export { type Question, Questions } from '../tools/questions.js'
export { groupOf, selectTools } from '../tools/select.js'
export { withStructuredResults } from '../tools/structured-results.js'
export { type Wording, word } from '../tools/wording.js'

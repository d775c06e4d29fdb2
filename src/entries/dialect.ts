/** polyfs/dialect: to write a dialect, to choose among the tools of one, and to call them by name. */
export type {
  ArchiveFault,
  EditExplanation,
  EditFailureCause,
  GitRefusal,
  InputIssue,
  PathFacts,
  PathFault,
} from '../errors.js'
export {
  type CallOptions,
  type Composition,
  type Content,
  callTool,
  compose,
  type FailedCall,
  type Failure,
  type JsonSchema,
  offeredTools,
  type Projection,
  type Prompt,
  project,
  type Question,
  Questions,
  type ResourceContent,
  type ResourcePage,
  type Resources,
  type Tool,
  type ToolAnnotations,
  type ToolGroup,
  ToolProtocolError,
  type ToolSchema,
  toolGroups,
  type Wording,
  word,
} from '../tools/dialect.js'
export { groupOf, selectTools } from '../tools/select.js'
export { withStructuredResults } from '../tools/structured-results.js'

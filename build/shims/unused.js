/** Stands for a module that is required and never called. */
export default {}

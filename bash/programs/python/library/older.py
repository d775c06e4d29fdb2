# What programs written for older Pythons still use.


@preparation
def _older():
    import ast

    def constant(kinds):
        class Older(type):
            def __instancecheck__(cls, node):
                return isinstance(node, ast.Constant) and isinstance(node.value, kinds) and type(node.value) in kinds

        return Older

    for name, kinds in ('Str', (str,)), ('Num', (int, float, complex)), ('Bytes', (bytes,)), ('NameConstant', (bool, type(None))):
        if not hasattr(ast, name):
            base = constant(kinds)
            setattr(ast, name, base(name, (ast.Constant,), {}))
    for name in 's', 'n':
        if not hasattr(ast.Constant, name):
            setattr(ast.Constant, name, property(lambda node: node.value))
    import uuid

    if not hasattr(uuid, '_load_system_functions'):
        uuid._load_system_functions = lambda: None

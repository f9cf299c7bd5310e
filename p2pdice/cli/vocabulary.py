"""The words people type, in three languages at once, as tables for commands.py.

Everything stands here as `commands.plain_form` leaves it: lower case, no accents, no punctuation. Nothing here knows
which language is on the screen: at one table people may speak all three.
"""

# Cardinal numbers, by value. Tens are joined with their units by the parser ("treinta y dos", "trinta e dois").
_UNITS = {
    1: "un uno una um uma one",
    2: "dos dois duas two",
    3: "tres three",
    4: "cuatro quatro four",
    5: "cinco five",
    6: "seis six meia",
    7: "siete sete seven",
    8: "ocho oito eight",
    9: "nueve nove nine",
    10: "diez dez ten",
    11: "once onze eleven",
    12: "doce doze twelve",
    13: "trece treze thirteen",
    14: "catorce catorze quatorze fourteen",
    15: "quince quinze fifteen",
    16: "dieciseis dezesseis dezasseis sixteen",
    17: "diecisiete dezessete dezassete seventeen",
    18: "dieciocho dezoito eighteen",
    19: "diecinueve dezenove dezanove nineteen",
    21: "veintiun veintiuno veintiuna",
    22: "veintidos",
    23: "veintitres",
    24: "veinticuatro",
    25: "veinticinco",
    26: "veintiseis",
    27: "veintisiete",
    28: "veintiocho",
    29: "veintinueve",
}
_TENS = {
    20: "veinte vinte twenty",
    30: "treinta trinta thirty",
    40: "cuarenta quarenta forty",
    50: "cincuenta cinquenta fifty",
    60: "sesenta sessenta sixty",
    70: "setenta seventy",
    80: "ochenta oitenta eighty",
    90: "noventa ninety",
}
# Faces: the numbers' plurals, and the names that cacho and dice players have for them.
_FACES = {
    1: "as ases ace aces uno unos una unas un um uns uma umas one ones",
    2: "dos doses dois doises duas two twos tonto tontos tonta tontas duque duques",
    3: "tres treses three threes tren trenes trem trens terno ternos",
    4: "cuatro cuatros quatro quatros four fours cuadra cuadras quadra quadras",
    5: "cinco cincos five fives quina quinas",
    6: "seis seises six sixes sexta sextas sexto sextos sena senas",
}

UNITS: dict[str, int] = {word: value for value, words in _UNITS.items() for word in words.split()}
TENS: dict[str, int] = {word: value for value, words in _TENS.items() for word in words.split()}
FACES: dict[str, int] = {word: face for face, words in _FACES.items() for word in words.split()}
TENS_JOINTS = frozenset({"y", "e", "and"})
BID_JOINTS = frozenset({"x", "de", "of"})  # between quantity and face: "cinco x tres", "five of threes"

DIRECTIONS = {
    **dict.fromkeys(("left", "izquierda", "esquerda"), "left"),
    **dict.fromkeys(("right", "derecha", "direita"), "right"),
}
DIRECTION_FILLERS = frozenset({"a", "la", "hacia", "para", "por", "to", "the"})

CALLS = {
    "dudo": (
        "dudo",
        "lo dudo",
        "yo dudo",
        "mentiroso",
        "mentirosa",
        "mentira",
        "doodoo",
        "doo doo",
        "duvido",
        "eu duvido",
        "pago",
        "liar",
        "lie",
        "doubt",
        "i doubt",
        "i doubt it",
    ),
    "calzo": ("calzo", "calza", "lo calzo", "yo calzo", "exacto", "exato", "exact", "exactly", "na mosca", "spot on"),
    "paso": ("paso", "passo", "pass", "yo paso", "eu passo", "i pass"),
}

OBLIGE_VERBS = frozenset({"obligo", "obligar", "obrigo", "obrigar", "oblige", "obliga", "obriga"})
OBLIGE_WAYS = {
    **dict.fromkeys(("open", "abierto", "abierta", "aberto", "aberta"), "open"),
    **dict.fromkeys(("closed", "cerrado", "cerrada", "fechado", "fechada"), "closed"),
    **dict.fromkeys(("no", "nao"), "no"),
}

SWITCHES = {
    **dict.fromkeys(("on", "si", "sim", "yes"), True),
    **dict.fromkeys(("off", "no", "nao"), False),
}
YES = frozenset(word for word, on in SWITCHES.items() if on) | {"s", "y"}
LEVELS = {
    **dict.fromkeys(("easy", "facil"), "easy"),
    **dict.fromkeys(("normal", "medio"), "normal"),
    **dict.fromkeys(("hard", "dificil"), "hard"),
}

_SLASHES = {
    "help": "help ayuda ajuda h",
    "rules": "rules reglas regras",
    "odds": "odds chances probabilidad probabilidades probabilidade",
    "history": "history historia historial historico",
    "say": "say decir di dizer diga",
    "who": "who quien quienes quem",
    "hints": "hints pistas dicas",
    "wait": "wait esperar espera",
    "drop": "drop excluir",
    "pause": "pause pausa",
    "rematch": "rematch again revancha otra revanche outra",
    "quit": "quit exit salir sair q",
    "ready": "ready listo lista pronto pronta",
    "start": "start empezar comenzar comecar iniciar",
    "bot": "bot",
    "kick": "kick echar expulsar",
    "name": "name nombre nome",
}
SLASHES: dict[str, str] = {word: name for name, words in _SLASHES.items() for word in words.split()}

"""The engine's behaviour written a second time, straight down and with its own figures.

The engine reads its rules from tables; this is one long function with every number typed in. Two ways
of writing the same thing rarely share a mistake, so random patients must get the same answer from both.
Only the reference ranges are taken from the table (``test_tables`` checks those).
"""

from __future__ import annotations

import math
from typing import Any

from scoring.tables import analytes

Answer = tuple[
    list[tuple[str, str, str, float]], list[tuple[str, str, int | None, str | None, str, list[str]]]
]

SIGHTHOUNDS = ("galgo", "greyhound", "whippet", "lebrel", "afgano", "afghan", "saluki", "sloughi")
LOW_MCV = ("shiba", "akita", "jindo", "chow", "shar pei", "shar-pei", "sharpei")
WHITE = " \t\n\r\v\f\u00a0\u2003\ufeff"


def number(raw: Any) -> float | None:
    """Read by walking over the characters, one state after the other."""
    if raw is None or isinstance(raw, bool) or not isinstance(raw, int | float | str):
        return None
    if not isinstance(raw, str):
        try:
            return None if math.isnan(raw) else float(raw)
        except OverflowError:
            return math.inf if raw > 0 else -math.inf
    i = 0
    while i < len(raw) and raw[i] in WHITE:
        i += 1
    start = i
    if i < len(raw) and raw[i] in "+-":
        i += 1
    if raw[i : i + 8] == "Infinity":
        return -math.inf if raw[start] == "-" else math.inf
    digits = 0
    while i < len(raw) and raw[i] in "0123456789":
        i, digits = i + 1, digits + 1
    if i < len(raw) and raw[i] == ".":
        j = i + 1
        while j < len(raw) and raw[j] in "0123456789":
            j, digits = j + 1, digits + 1
        i = j
    if digits == 0:
        return None
    if i < len(raw) and raw[i] in "eE":
        j = i + 1
        if j < len(raw) and raw[j] in "+-":
            j += 1
        k = j
        while k < len(raw) and raw[k] in "0123456789":
            k += 1
        if k > j:
            i = k
    return float(raw[start:i])


def limits(species: str, key: str, age: float | None, breed: str | None) -> tuple[float, float]:
    low_age = low_breed = high_age = high_breed = 1.0
    if species == "canino":
        if age is None:
            stage = "adulto"
        else:
            stage = (
                "cachorro" if age < 12 else "adulto" if age < 84 else "senior" if age < 120 else "geriatrico"
            )
        high_age = {
            ("cachorro", "fal"): 3.0,
            ("cachorro", "wbc"): 1.25,
            ("cachorro", "fosf"): 1.8,
            ("senior", "bun"): 1.15,
            ("senior", "creat"): 1.15,
            ("geriatrico", "bun"): 1.25,
            ("geriatrico", "creat"): 1.25,
            ("geriatrico", "fal"): 1.4,
        }.get((stage, key), 1.0)
    else:
        stage = "adulto" if age is None else "cachorro" if age < 12 else "adulto" if age < 120 else "senior"
        high_age = {
            ("cachorro", "fal"): 3.0,
            ("cachorro", "wbc"): 1.2,
            ("cachorro", "fosf"): 1.3,
            ("senior", "bun"): 1.2,
            ("senior", "creat"): 1.2,
        }.get((stage, key), 1.0)
    name = (breed or "").lower()
    if species == "canino":
        if any(word in name for word in SIGHTHOUNDS):
            low, high = {
                "rbc": (1.15, 1.15),
                "hgb": (1.12, 1.12),
                "hct": (1.12, 1.12),
                "plt": (0.75, 0.75),
                "t4_total": (0.5, 0.8),
                "t4_libre": (0.5, 0.8),
                "creat": (1.0, 1.15),
            }.get(key, (1.0, 1.0))
            low_breed, high_breed = low_breed * low, high_breed * high
        if any(word in name for word in LOW_MCV) and key == "vcm":
            low_breed, high_breed = low_breed * 0.85, high_breed * 0.92
        if "shiba" in name and key == "plt":
            low_breed, high_breed = low_breed * 0.75, high_breed * 0.9
    else:
        if "maine" in name and key in {"hct", "hgb"}:
            low_breed = low_breed * 1.15
        if ("birman" in name or "sagrado de birmania" in name) and key == "creat":
            high_breed = high_breed * 1.2
    base = analytes(species)[key]
    return base.low * low_age * low_breed, base.high * high_age * high_breed


def grade(species: str, key: str, side: str, value: float, range_: tuple[float, float]) -> str:
    low, high = range_
    dog = species == "canino"
    if side == "bajo" and key in {"hct", "plt"}:
        moderate, severe = {"hct": (30.0, 20.0) if dog else (20, 14), "plt": (100, 30)}[key]
        return "grave" if value < severe else "moderado" if value < moderate else "leve"
    if side == "alto" and key in {"creat", "sdma"}:
        moderate, severe = {"creat": (2.8, 5.0), "sdma": (35, 54) if dog else (25, 38)}[key]
        return "grave" if value > severe else "moderado" if value > moderate else "leve"
    if side == "alto" and key == "upc":
        return "moderado" if value > (0.5 if dog else 0.4) else "leve"
    d = (value - high) / (high - low) if side == "alto" else (low - value) / (high - low)
    return "leve" if d <= 0.5 else "moderado" if d <= 1.5 else "grave"


def answer(valores: dict[str, Any], paciente: dict[str, Any]) -> Answer:
    species = paciente.get("especie")
    if species not in {"canino", "felino"}:
        return [], []
    f: dict[str, tuple[str, str, float]] = {}
    for key in analytes(species):
        value = number(valores.get(key))
        if value is None:
            continue
        low, high = limits(species, key, paciente.get("edad_meses"), paciente.get("raza"))
        if value > high:
            f[key] = ("alto", grade(species, key, "alto", value, (low, high)), value)
        elif value < low:
            f[key] = ("bajo", grade(species, key, "bajo", value, (low, high)), value)
    return [(key, side, sev, value) for key, (side, sev, value) in f.items()], patterns(species, f)


def patterns(
    species: str, f: dict[str, tuple[str, str, float]]
) -> list[tuple[str, str, int | None, str | None, str, list[str]]]:
    out: list[tuple[str, str, int | None, str | None, str, list[str]]] = []

    def up(key: str) -> bool:
        return key in f and f[key][0] == "alto"

    def down(key: str) -> bool:
        return key in f and f[key][0] == "bajo"

    def sev(*keys: str) -> str:
        return next((f[key][1] for key in keys if key in f), "leve")

    def add(key: str, name: str, severity: str, *parameters: str) -> None:
        out.append((key, name, None, None, severity, [p for p in parameters if p in f]))

    if down("hct") or down("hgb") or down("rbc"):
        kind = " microcítica" if down("vcm") else " macrocítica" if up("vcm") else ""
        add("anemia", "Anemia" + kind, sev("hct", "hgb", "rbc"), "hct", "hgb", "rbc", "vcm")
    if up("hct") or up("rbc"):
        add("eritrocitosis", "Eritrocitosis", sev("hct", "rbc"), "hct", "rbc", "hgb")
    if up("wbc") and up("neutro"):
        add("leucocitosis_neutrofilica", "Leucocitosis neutrofílica", sev("wbc", "neutro"), "wbc", "neutro")
    if up("wbc") and up("linfo"):
        add("leucocitosis_linfocitica", "Leucocitosis linfocítica", sev("wbc", "linfo"), "wbc", "linfo")
    if up("wbc") and not up("neutro") and not up("linfo"):
        add("leucocitosis", "Leucocitosis", sev("wbc"), "wbc")
    for key, pattern, name in (
        ("wbc", "leucopenia", "Leucopenia"),
        ("neutro", "neutropenia", "Neutropenia"),
        ("linfo", "linfopenia", "Linfopenia"),
    ):
        if down(key):
            add(pattern, name, sev(key), key)
    if up("eosino"):
        add("eosinofilia", "Eosinofilia", sev("eosino"), "eosino")
    if down("plt"):
        add("trombocitopenia", "Trombocitopenia", sev("plt"), "plt")
    if up("plt"):
        add("trombocitosis", "Trombocitosis", sev("plt"), "plt")
    if up("alt") and up("ast"):
        add("dano_hepatocelular", "Daño hepatocelular", sev("alt", "ast"), "alt", "ast")
    elif up("alt"):
        add("alt_aislada", "Elevación de ALT aislada", sev("alt"), "alt")
    if up("fal"):
        add("patron_colestasico", "Patrón colestásico", sev("fal"), "fal")
    if up("bili"):
        add("hiperbilirrubinemia", "Hiperbilirrubinemia", sev("bili"), "bili")
    if up("bun") and up("creat"):
        add("azotemia", "Azotemia", sev("creat", "bun"), "bun", "creat")
    elif up("bun"):
        add("hiperuremia_bun", "Hiperuremia aislada (BUN)", sev("bun"), "bun")
    elif up("creat"):
        add("creatinina_aislada", "Creatinina elevada (BUN normal)", sev("creat"), "creat")
    staged(species, f, out)
    if down("bun"):
        add("bun_disminuido", "BUN disminuido", sev("bun"), "bun")
    if up("gluc"):
        add("hiperglucemia", "Hiperglucemia", sev("gluc"), "gluc")
    if down("gluc"):
        add("hipoglucemia", "Hipoglucemia", sev("gluc"), "gluc")
    if up("prot"):
        add("hiperproteinemia", "Hiperproteinemia", sev("prot"), "prot")
    if down("alb") and down("prot"):
        add("hipoproteinemia_hipoalbuminemia", "Hipoproteinemia / Hipoalbuminemia", sev("alb"), "alb", "prot")
    elif down("alb"):
        add("hipoalbuminemia", "Hipoalbuminemia", sev("alb"), "alb")
    if "sodio" in f and "potasio" in f and f["potasio"][2] > 0:
        ratio = f["sodio"][2] / f["potasio"][2]
        if ratio < 27:
            add(
                "ratio_nak",
                "Ratio Na:K reducido — sospecha de hipoadrenocorticismo",
                "grave" if ratio < 20 else "moderado" if ratio < 24 else "leve",
                "sodio",
                "potasio",
            )
    if up("sodio"):
        add("hipernatremia", "Hipernatremia", sev("sodio"), "sodio")
    if down("sodio"):
        add("hiponatremia", "Hiponatremia", sev("sodio"), "sodio")
    if up("calc"):
        add("hipercalcemia", "Hipercalcemia", sev("calc"), "calc", "fosf")
    if down("calc"):
        add("hipocalcemia", "Hipocalcemia", sev("calc"), "calc")
    if down("potasio"):
        add("hipopotasemia", "Hipopotasemia", sev("potasio"), "potasio")
    if up("potasio"):
        add("hiperpotasemia", "Hiperpotasemia", sev("potasio"), "potasio")
    if up("fosf"):
        add("hiperfosforemia", "Hiperfosforemia", sev("fosf"), "fosf")
    if "usg" in f and f["usg"][2] < 1.007:
        severity = "grave" if f["usg"][2] < 1.005 else "moderado"
        add("hiposthenuria", "Hiposthenuria (USG < 1.007) — concentración muy disminuida", severity, "usg")
    elif "usg" in f and f["usg"][2] < 1.013:
        add(
            "isosthenuria",
            "Isosthenuria (USG 1.007–1.013) — capacidad de concentración deteriorada",
            "leve",
            "usg",
        )
    if species == "canino" and down("t4_total"):
        add("hipotiroidismo", "Hipotiroidismo — T4 disminuida", sev("t4_total"), "t4_total")
    if up("t4_total"):
        add("hipertiroidismo", "Hipertiroidismo — T4 elevada", sev("t4_total"), "t4_total")
    acth = ("cortisol_acth", "cortisol_bas")
    if up("cortisol_acth"):
        name = "Hiperadrenocorticismo (Cushing) — cortisol post-ACTH elevado"
        add("hiperadrenocorticismo", name, sev("cortisol_acth"), *acth)
    if down("cortisol_acth"):
        name = "Hipoadrenocorticismo (Addison) — cortisol post-ACTH bajo"
        add("hipoadrenocorticismo_cortisol", name, sev("cortisol_acth"), *acth)
    if down("cortisol_bas") and "cortisol_acth" not in f:
        name = "Cortisol basal bajo — posible hipoadrenocorticismo"
        add("cortisol_basal_bajo", name, "moderado", "cortisol_bas")
    if down("insulina") and up("gluc"):
        name = "Posible déficit de insulina — hiperglucemia con insulina baja"
        add("deficit_insulina", name, "moderado", "insulina", "gluc")
    if up("pli"):
        add("pancreatitis", "Pancreatitis — PLI elevada", sev("pli"), "pli", "lipasa", "amylasa")
    if up("amylasa") and "pli" not in f:
        add("hiperamylasemia", "Hiperamylasemia", sev("amylasa"), "amylasa")
    if up("tsh"):
        name = "TSH elevado — hipotiroidismo primario"
        add("tsh_elevado", name, sev("tsh"), "tsh", "t4_total", "t4_libre")
    if down("tsh"):
        add("tsh_suprimido", "TSH suprimido — posible hipertiroidismo", sev("tsh"), "tsh", "t4_total")
    if down("t4_libre") and "tsh" not in f:
        add("t4_libre_baja", "T4 libre (fT4) disminuida", sev("t4_libre"), "t4_libre", "t4_total")
    if up("ctni"):
        add("dano_miocardico", "Daño miocárdico — Troponina I elevada", sev("ctni"), "ctni", "nt_probnp")
    if up("nt_probnp"):
        add("cardiopatia_bnp", "NT-proBNP elevado — cardiopatía", sev("nt_probnp"), "nt_probnp", "ctni")
    if up("crp") or up("saa"):
        add("inflamacion_aguda", "Respuesta de fase aguda — PCR/SAA elevada", sev("crp", "saa"), "crp", "saa")
    single = (
        ("progesterona", "+", "progesterona_elevada", "Progesterona elevada"),
        ("magnesio", "-", "hipomagnesemia", "Hipomagnesemia"),
        ("magnesio", "+", "hipermagnesemia", "Hipermagnesemia"),
        ("hierro", "-", "ferropenia_hierro", "Déficit de hierro sérico"),
        ("ac_urico", "+", "ac_urico_elevado", "Hiperuricemia"),
        ("ldh", "+", "ldh_elevada", "LDH elevada"),
        ("fenobarbital", "-", "fenobarbital_subterapeutico", "Fenobarbital — nivel subterapéutico"),
        ("fenobarbital", "+", "fenobarbital_toxico", "Fenobarbital — nivel tóxico"),
        ("ciclosporina", "-", "ciclosporina_subterapeutica", "Ciclosporina — nivel subterapéutico"),
        ("ciclosporina", "+", "ciclosporina_toxica", "Ciclosporina — nivel potencialmente tóxico"),
    )
    for key, sign, pattern, name in single:
        if up(key) if sign == "+" else down(key):
            add(pattern, name, sev(key), key)
    if up("pt") and not up("aptt"):
        add("coagulopatia_extrinseca", "Coagulopatía — vía extrínseca (TP prolongado)", sev("pt"), "pt")
    if up("aptt") and not up("pt"):
        name = "Coagulopatía — vía intrínseca (TTPa prolongado)"
        add("coagulopatia_intrinseca", name, sev("aptt"), "aptt")
    if up("pt") and up("aptt"):
        name = "Coagulopatía de vías múltiples (TP y TTPa prolongados)"
        add("coagulopatia_mixta", name, sev("pt", "aptt", "act"), "pt", "aptt", "act")
    products = up("ddimeros") or up("fdp")
    if products and down("fibrinogeno"):
        name = "CID — Coagulación Intravascular Diseminada"
        add("cid", name, "grave", "ddimeros", "fdp", "fibrinogeno", "plt")
    if up("fibrinogeno") and not products:
        add("hiperfibrinogenemia", "Hiperfibrinogenemia", sev("fibrinogeno"), "fibrinogeno")
    if down("fibrinogeno") and not products:
        add("hipofibrinogenemia", "Hipofibrinogenemia", sev("fibrinogeno"), "fibrinogeno")
    if down("vwf"):
        add("deficit_vwf", "Déficit de vWF — Enfermedad de von Willebrand", sev("vwf"), "vwf", "aptt")
    if down("antitrombina"):
        name = "Antitrombina (AT-III) disminuida — estado protrombótico"
        add("antitrombina_baja", name, sev("antitrombina"), "antitrombina")
    if up("rbc_uri"):
        add("hematuria_uri", "Hematuria — eritrocitos elevados en orina", sev("rbc_uri"), "rbc_uri")
    if up("wbc_uri"):
        add("piuria", "Piuria — leucocitos elevados en orina", sev("wbc_uri"), "wbc_uri")
    if up("upc"):
        add("proteinuria_upc", "Proteinuria — UPC elevado", sev("upc"), "upc")
    base_down = down("hco3") or down("exceso_base")
    base_up = up("hco3") or up("exceso_base")
    all_four = ("ph_sangre", "pco2", "hco3", "exceso_base")
    metabolic = ("ph_sangre", "hco3", "exceso_base")
    if down("ph_sangre"):
        if up("pco2") and base_down:
            key = "acidosis_respiratoria+acidosis_metabolica"
            add(key, "Acidosis respiratoria + Acidosis metabólica", "grave", *all_four)
        elif up("pco2"):
            name = "Acidosis respiratoria"
            add("acidosis_respiratoria", name, sev("ph_sangre", "pco2"), "ph_sangre", "pco2")
        elif base_down:
            add("acidosis_metabolica", "Acidosis metabólica", sev(*metabolic), *metabolic, "anion_gap")
    if up("ph_sangre"):
        if down("pco2") and base_up:
            key = "alcalosis_respiratoria+alcalosis_metabolica"
            add(key, "Alcalosis respiratoria + Alcalosis metabólica", "grave", *all_four)
        elif down("pco2"):
            name = "Alcalosis respiratoria"
            add("alcalosis_respiratoria", name, sev("ph_sangre", "pco2"), "ph_sangre", "pco2")
        elif base_up:
            add("alcalosis_metabolica", "Alcalosis metabólica", sev(*metabolic), *metabolic)
    if down("po2"):
        add("hipoxemia", "Hipoxemia", sev("po2", "so2"), "po2", "so2")
    if up("lactato"):
        add("hiperlactatemia", "Hiperlactatemia", sev("lactato"), "lactato")
    if down("ca_ion"):
        add("ca_ionizado_bajo", "Hipocalcemia ionizada", sev("ca_ion"), "ca_ion")
    if up("ca_ion"):
        add("ca_ionizado_alto", "Hipercalcemia ionizada", sev("ca_ion"), "ca_ion")
    if up("anion_gap"):
        add("anion_gap_elevado", "Anión gap elevado", sev("anion_gap"), "anion_gap", "lactato")
    return out


def staged(
    species: str,
    f: dict[str, tuple[str, str, float]],
    out: list[tuple[str, str, int | None, str | None, str, list[str]]],
) -> None:
    dog = species == "canino"
    if "creat" not in f and "sdma" not in f:
        return
    stage = 1
    if "creat" in f:
        value = f["creat"][2]
        stage = 1 if value <= (1.4 if dog else 1.6) else 2 if value <= 2.8 else 3 if value <= 5.0 else 4
    if "sdma" in f and stage < 4:
        cut = {1: 18, 2: 35 if dog else 25, 3: 54 if dog else 38}[stage]
        stage += f["sdma"][2] > cut
    if stage < 2:
        return
    substage = None
    if "upc" in f:
        upc = f["upc"][2]
        if upc > (0.5 if dog else 0.4):
            substage = "proteinúrico"
        elif upc >= 0.2:
            substage = "proteinúrico limítrofe"
        else:
            substage = "no proteinúrico"
    name = f"Azotemia graduada en escala IRIS — estadio {stage}" + (f", {substage}" if substage else "")
    severity = {2: "leve", 3: "moderado", 4: "grave"}[stage]
    out.append(("erc_iris", name, stage, substage, severity, [k for k in ("creat", "sdma", "upc") if k in f]))

"""The words by which a text denies, rules out or takes back; the table ``lengua.json``, part ``negacion``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from scoring.clinical.templates import Templates, WordClass

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True, repr=False)
class Cues:
    """The cues of negation and what limits them.

    Attributes:
        heads: first word of a cue -> its kind.
        names: the keys of ``heads``.
        neutral: looks like a cue and denies nothing («no se puede descartar»).
        before: denies what follows («sin», «ausencia de»).
        instead: behind «en», sets aside what follows («en lugar de»).
        past: what follows was once there («antecedentes de»).
        returns: with them in its sentence, what was once there is under suspicion again («recidiva»).
        outside: «fuera de», which denies the few words of its object.
        put_outside: verbs with which «fuera» denies what stands before it («queda fuera de la lista»).
        list_words: what such a thing is outside of.
        removers: verbs that take something off that list («se elimina del diferencial»).
        presumed: of these nouns only they themselves are denied («no hay metástasis del hemangiosarcoma»).
        subordinate: behind them a denial ends at the comma («ya que no hay respuesta, linfoma»).
        verbs: verbs with which «no» denies that something is there.
        helpers: what may stand between «no» and such a verb.
        leading: prepositions between a bare «no» and the name it denies («no con linfoma»).
        shows: what a bare «no» denies together with what it would show («no signos de»).
        licences: «permite», «puede»: with them an infinitive rules out («permite descartar»).
        conditions: with them before it, ruling out is a condition or denied itself.
        subjects: behind «no», with nothing else, they deny what stands before («no procede»).
        governing: verbs of which the preposition behind leads to the object («no se corresponde con»).
        explaining: what is not explained is there all the same («explica la anemia, pero no la fiebre»).
        being: behind «ni ... ni ...» they lead to what is denied («ni clínica ni ecográficamente hay»).
        concord: denials that a further «no» only confirms; the others it undoes («no va en contra de»).
        links: what joins «datos», «signos» and the like to what they would show («compatibles con»).
        closers: ends the scope.
        turns: those among them that tell of no verb: the member before them still belongs to the list.
        follows: after a cue, shows that what it denies stands before it.
        replies: what answers a question by itself besides «no» («ninguno de los dos»).
        leads: what may lead to the thing asked about («¿podría ser...?», «sospecha de ...:»).
        joins: words with which a label or question says more than what it asks about.
        proofs: «datos», «evidencia»: with nothing behind them they answer what stands before.
        pronouns: stand for what was named before («que lo apoyen», «se descarta»).
        objects: those among them that are objects («no lo veo»).
        empty: words that name nothing («pero se»); a denial behind them alone refers further back.
        bridges: lead from a denial to what takes it back («pero», «lo cual»).
        exceptions: leave some of the evidence standing («no hay datos, salvo la citología»).
        doubts: stems of what is taken back when denied itself («no se descarta»).
        tests: with nothing else, a test under a label is about the label («ehrlichiosis: PCR negativa»).
        titles: words of the heading of a list («diagnósticos descartados»).
        articles: a new article after a joint opens a new clause.
        longest: most words in a scope.
        longest_back: most words denied before a cue.
    """

    heads: Mapping[str, str]
    names: frozenset[str]
    neutral: Templates
    before: Templates
    instead: Templates
    past: Templates
    returns: WordClass
    outside: Templates
    put_outside: WordClass
    list_words: WordClass
    removers: frozenset[str]
    presumed: frozenset[str]
    subordinate: frozenset[str]
    verbs: WordClass
    helpers: frozenset[str]
    leading: frozenset[str]
    shows: frozenset[str]
    licences: frozenset[str]
    conditions: WordClass
    subjects: Templates
    governing: WordClass
    explaining: WordClass
    being: frozenset[str]
    concord: frozenset[str]
    links: Templates
    closers: WordClass
    turns: frozenset[str]
    follows: frozenset[str]
    replies: Templates
    leads: Templates
    joins: frozenset[str]
    proofs: frozenset[str]
    pronouns: frozenset[str]
    objects: frozenset[str]
    empty: frozenset[str]
    bridges: frozenset[str]
    exceptions: frozenset[str]
    doubts: tuple[str, ...]
    tests: WordClass
    titles: WordClass
    articles: frozenset[str]
    longest: int = 18
    longest_back: int = 4


def read_cues(data: Mapping[str, Any]) -> Cues:
    """The cues of the table ``lengua.json``, part ``negacion``."""
    heads: dict[str, str] = dict.fromkeys(data["no"], "no") | {"ni": "ni"}
    for kind, words in (
        ("outside", data["fuera"]),
        ("remove", data["quitan_de_la_lista"]),
        ("infinitive", data["descartar"]),
        ("ruling_out", data["descartes"]),
        ("ruled_out", data["descartados"]),
        ("instead", data["en_su_lugar"]),
        ("past", data["antecedentes"]),
        ("sign", data["marcas_de_no"]),
        ("before", data["delante"]),
        ("behind", data["detras"]),
    ):
        for template in words:
            head = template.split()[0]
            stem = head.rstrip("*")
            endings: tuple[str, ...] = ("",)
            if head.endswith("*"):
                endings = ("", "s", "n") if stem[-1] in "aeo" else ("", "a", "o", "as", "os")
            heads.update(dict.fromkeys((stem + ending for ending in endings), kind))
    pronouns = frozenset(data["pronombres"])
    adverbs = frozenset(data["adverbios"])
    return Cues(
        heads=heads,
        names=frozenset(heads),
        neutral=Templates(data["no_niegan"], adverbs | pronouns),
        before=Templates(data["delante"]),
        instead=Templates(data["en_su_lugar"]),
        past=Templates(data["antecedentes"]),
        returns=WordClass(data["vuelven"]),
        outside=Templates(data["fuera"]),
        put_outside=WordClass(data["dejan_fuera"]),
        list_words=WordClass(data["de_la_lista"]),
        removers=frozenset(data["quitan_de_la_lista"]),
        presumed=frozenset(data["presuponen"]),
        subordinate=frozenset(data["subordinan"]),
        verbs=WordClass(data["verbos"]),
        helpers=frozenset(data["auxiliares"]) | adverbs,
        leading=frozenset(data["preposiciones"]),
        shows=frozenset(data["muestras"]),
        licences=frozenset(data["licencias"]),
        conditions=WordClass(data["condiciones"]),
        subjects=Templates(data["niegan_lo_anterior"]),
        governing=WordClass(data["rigen_preposicion"]),
        explaining=WordClass(data["explican"]),
        being=frozenset(data["existencia"]),
        concord=frozenset(data["concuerdan"]),
        links=Templates(data["enlaces"]),
        closers=WordClass((*data["cierran"], *data["cierran_sin_verbo"])),
        turns=frozenset(data["cierran_sin_verbo"]),
        follows=frozenset(data["siguen_detras"]),
        replies=Templates(data["respuestas"]),
        leads=Templates(data["encabezan"]),
        joins=frozenset(data["amplian"]),
        proofs=frozenset(data["pruebas"]),
        pronouns=pronouns,
        objects=pronouns - frozenset(data["pronombres_indirectos"]),
        empty=frozenset(data["vacias"]) | frozenset(data["puentes"]),
        bridges=frozenset(data["puentes"]),
        exceptions=frozenset(data["excepciones"]),
        doubts=tuple(data["raices_de_descarte"]),
        tests=WordClass(data["analisis"]),
        titles=WordClass(data["titulos"]),
        articles=frozenset(data["articulos"]),
        longest=data["palabras_como_mucho"],
        longest_back=data["palabras_hacia_atras"],
    )

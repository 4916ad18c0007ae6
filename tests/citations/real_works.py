"""Real works as registries record them, and entries that claim them: right, spelt another way, or altered."""

from collections.abc import Iterable
from typing import Any

from rapidfuzz import process
from rapidfuzz.distance import Levenshtein

from citations.identity.normalise import plain
from citations.identity.reference import reference_from_csl
from citations.identity.verdict import judge
from citations.identity.verdict_types import Lookup, Search, Verdict
from sources.work import Person, Work

Csl = dict[str, Any]


def person(name: str) -> Person:
    """ "Family, Given", or a group without a comma."""
    family, comma, given = name.partition(", ")
    return Person(family=family, given=given) if comma else Person(literal=name)


def work(title: str, authors: str, year: int | None, venue: str = "", place: str = "", **more: Any) -> Work:
    """`authors` with semicolons; `place` is volume and pages, "324, 1307-1316"."""
    volume, _, pages = place.partition(", ")
    return Work(
        **{
            "provider": "crossref",
            "provider_id": more.get("doi") or title,
            "title": title,
            "authors": tuple(person(name) for name in authors.split("; ") if name),
            "year": year,
            "venue": venue or None,
            "volume": volume or None,
            "pages": pages or None,
            "type": "article-journal",
            **more,
        }
    )


WORKS = {
    "recovery": work(
        "Dexamethasone in Hospitalized Patients with Covid-19",
        "The RECOVERY Collaborative Group",
        2021,
        "New England Journal of Medicine",
        "384, 693-704",
        doi="10.1056/NEJMoa2021436",
        pmid="32678530",
    ),
    "codex": work(
        "Effect of Dexamethasone on Days Alive and Ventilator-Free in Patients With Moderate or Severe Acute Respiratory"
        " Distress Syndrome and COVID-19: The CoDEX Randomized Clinical Trial",
        "Tomazini, Bruno M.; Maia, Israel S.; Cavalcanti, Alexandre B.; Berwanger, Otavio; Rosa, Regis G.",
        2020,
        "JAMA",
        "324, 1307-1316",
        doi="10.1001/jama.2020.17021",
        pmid="32876695",
    ),
    "remapcap": work(
        "Effect of Hydrocortisone on Mortality and Organ Support in Patients With Severe COVID-19: The REMAP-CAP COVID-19"
        " Corticosteroid Domain Randomized Clinical Trial",
        "The Writing Committee for the REMAP-CAP Investigators; Angus, Derek C.; Derde, Lennie; Al-Beidh, Farah; Annane,"
        " Djillali; Arabi, Yaseen",
        2020,
        "JAMA",
        "324, 1317-1329",
        doi="10.1001/jama.2020.17022",
        pmid="32876697",
    ),
    "cape": work(
        "Effect of Hydrocortisone on 21-Day Mortality or Respiratory Support Among Critically Ill Patients With COVID-19: A"
        " Randomized Clinical Trial",
        "Dequin, Pierre-François; Heming, Nicholas; Meziani, Ferhat; Plantefève, Gaëtan; Voiriot, Guillaume",
        2020,
        "JAMA",
        "324, 1298-1306",
        doi="10.1001/jama.2020.16761",
        pmid="32876689",
    ),
    "villar": work(
        "Dexamethasone treatment for the acute respiratory distress syndrome: a multicentre, randomised controlled trial",
        "Villar, Jesús; Ferrando, Carlos; Martínez, Domingo; Ambrós, Alfonso; Muñoz, Tomás",
        2020,
        "The Lancet Respiratory Medicine",
        "8, 267-276",
        doi="10.1016/S2213-2600(19)30417-5",
        pmid="32043986",
    ),
    "covidsteroid": work(
        "Low-dose hydrocortisone in patients with COVID-19 and severe hypoxia: The COVID STEROID randomised,"
        " placebo-controlled trial",
        "Munch, Marie Warrer; Meyhoff, Tine Sylvest; Helleberg, Marie; Kjær, Maj-Brit Nørregaard; Granholm, Anders",
        2021,
        "Acta Anaesthesiologica Scandinavica",
        "65, 1421-1430",
        doi="10.1111/aas.13941",
        pmid="34138478",
    ),
    "covbarrier": work(
        "Efficacy and safety of baricitinib for the treatment of hospitalised adults with COVID-19 (COV-BARRIER): a"
        " randomised, double-blind, parallel-group, placebo-controlled phase 3 trial",
        "Marconi, Vincent C; Ramanan, Athimalaipet V; de Bono, Stephanie; Kartman, Cynthia E; Krishnan, Venkatesh",
        2021,
        "The Lancet Respiratory Medicine",
        "9, 1407-1418",
        doi="10.1016/S2213-2600(21)00331-3",
        pmid="34480861",
    ),
    "aprocchss": work(
        "Hydrocortisone plus Fludrocortisone for Adults with Septic Shock",
        "Annane, Djillali; Renault, Alain; Brun-Buisson, Christian; Megarbane, Bruno; Quenot, Jean-Pierre",
        2018,
        "New England Journal of Medicine",
        "378, 809-818",
        doi="10.1056/NEJMoa1705716",
        pmid="29490185",
    ),
    "isaric": work(
        "Features of 20 133 UK patients in hospital with covid-19 using the ISARIC WHO Clinical Characterisation Protocol:"
        " prospective observational cohort study",
        "Docherty, Annemarie B; Harrison, Ewen M; Green, Christopher A; Hardwick, Hayley E; Pius, Riinu",
        2020,
        "BMJ",
        "369, m1985",
        doi="10.1136/bmj.m1985",
        pmid="32444460",
    ),
    "crash": work(
        "Effect of intravenous corticosteroids on death within 14 days in 10008 adults with clinically significant head"
        " injury (MRC CRASH trial): randomised placebo-controlled trial",
        "Roberts, I; Yates, D; Sandercock, P; Farrell, B; Wasserberg, J",
        2004,
        "The Lancet",
        "364, 1321-1328",
        doi="10.1016/S0140-6736(04)17188-2",
        pmid="15474134",
    ),
    "hksj": work(
        "The Hartung-Knapp-Sidik-Jonkman method for random effects meta-analysis is straightforward and considerably"
        " outperforms the standard DerSimonian-Laird method",
        "IntHout, Joanna; Ioannidis, John PA; Borm, George F",
        2014,
        "BMC Medical Research Methodology",
        "14, 25",
        doi="10.1186/1471-2288-14-25",
        pmid="24548571",
    ),
    "metafor": work(
        "Conducting Meta-Analyses in <i>R</i> with the <b>metafor</b> Package",
        "Viechtbauer, Wolfgang",
        2010,
        "Journal of Statistical Software",
        "36, 1-48",
        doi="10.18637/jss.v036.i03",
    ),
    "rob2": work(
        "RoB 2: a revised tool for assessing risk of bias in randomised trials",
        "Sterne, Jonathan A C; Savović, Jelena; Page, Matthew J; Elbers, Roy G; Blencowe, Natalie S",
        2019,
        "BMJ",
        "366, l4898",
        doi="10.1136/bmj.l4898",
        pmid="31462531",
    ),
    "i2": work(
        "Measuring inconsistency in meta-analyses",
        "Higgins, Julian P T; Thompson, Simon G; Deeks, Jonathan J; Altman, Douglas G",
        2003,
        "BMJ",
        "327, 557-560",
        doi="10.1136/bmj.327.7414.557",
        pmid="12958120",
    ),
    "dersimonian": work(
        "Meta-analysis in clinical trials",
        "DerSimonian, Rebecca; Laird, Nan",
        1986,
        "Controlled Clinical Trials",
        "7, 177-188",
        doi="10.1016/0197-2456(86)90046-2",
        pmid="3802833",
    ),
    "jaynes1": work(
        "Information Theory and Statistical Mechanics",
        "Jaynes, E. T.",
        1957,
        "Physical Review",
        "106, 620-630",
        doi="10.1103/PhysRev.106.620",
    ),
    "jaynes2": work(
        "Information Theory and Statistical Mechanics. II",
        "Jaynes, E. T.",
        1957,
        "Physical Review",
        "108, 171-190",
        doi="10.1103/PhysRev.108.171",
    ),
    "starr": work("The Copper Oxide Rectifier", "Starr, A. T.", 1936, "Physics", "7, 15-19", doi="10.1063/1.1745338"),
    "brattain": work(
        "The Copper Oxide Rectifier",
        "Brattain, W. H.",
        1951,
        "Reviews of Modern Physics",
        "23, 203-212",
        doi="10.1103/RevModPhys.23.203",
    ),
    "ctd2011": work(
        "The Comparative Toxicogenomics Database: update 2011",
        "Davis, A. P.; King, B. L.; Mockus, S.; Murphy, C. G.; Saraceni-Richards, C.",
        2011,
        "Nucleic Acids Research",
        "39, D1067-D1072",
        doi="10.1093/nar/gkq813",
        pmid="20864448",
    ),
    "ctd2013": work(
        "The Comparative Toxicogenomics Database: update 2013",
        "Davis, A. P.; Murphy, C. G.; Johnson, R.; Lay, J. M.; Lennon-Hopkins, K.",
        2013,
        "Nucleic Acids Research",
        "41, D1104-D1114",
        doi="10.1093/nar/gks994",
        pmid="23093600",
    ),
    "einstein": work(
        "Zur Elektrodynamik bewegter Körper",
        "Einstein, A.",
        1905,
        "Annalen der Physik",
        "322, 891-921",
        doi="10.1002/andp.19053221004",
    ),
    "veer": work(
        "Gene expression profiling predicts clinical outcome of breast cancer",
        "van 't Veer, Laura J.; Dai, Hongyue; van de Vijver, Marc J.; He, Yudong D.; Hart, Augustinus A. M.",
        2002,
        "Nature",
        "415, 530-536",
        doi="10.1038/415530a",
        pmid="11823860",
    ),
    "genome": work(
        "Initial sequencing and analysis of the human genome",
        "International Human Genome Sequencing Consortium; Lander, Eric S.; Linton, Lauren M.; Birren, Bruce",
        2001,
        "Nature",
        "409, 860-921",
        doi="10.1038/35057062",
        pmid="11237011",
    ),
    "dna": work(
        "Molecular Structure of Nucleic Acids: A Structure for Deoxyribose Nucleic Acid",
        "WATSON, J. D.; CRICK, F. H. C.",
        1953,
        "Nature",
        "171, 737-738",
        doi="10.1038/171737a0",
    ),
    "prospect": work(
        "Prospect Theory: An Analysis of Decision under Risk",
        "Kahneman, Daniel; Tversky, Amos",
        1979,
        "Econometrica",
        "47, 263",
        doi="10.2307/1914185",
    ),
    "fdr": work(
        "Controlling the False Discovery Rate: A Practical and Powerful Approach to Multiple Testing",
        "Benjamini, Yoav; Hochberg, Yosef",
        1995,
        "Journal of the Royal Statistical Society: Series B (Methodological)",
        "57, 289-300",
        doi="10.1111/j.2517-6161.1995.tb02031.x",
    ),
    "ddct": work(
        "Analysis of Relative Gene Expression Data Using Real-Time Quantitative PCR and the 2<sup>−ΔΔC<sub>T</sub></sup>"
        " Method",
        "Livak, Kenneth J.; Schmittgen, Thomas D.",
        2001,
        "Methods",
        "25, 402-408",
        doi="10.1006/meth.2001.1262",
        pmid="11846609",
    ),
    "bland": work(
        "STATISTICAL METHODS FOR ASSESSING AGREEMENT BETWEEN TWO METHODS OF CLINICAL MEASUREMENT",
        "Martin Bland, J.; Altman, DouglasG.",
        1986,
        "The Lancet",
        "327, 307-310",
        doi="10.1016/S0140-6736(86)90837-8",
        pmid="2868172",
    ),
    "kaplan": work(
        "Nonparametric Estimation from Incomplete Observations",
        "Kaplan, E. L.; Meier, Paul",
        1958,
        "Journal of the American Statistical Association",
        "53, 457-481",
        doi="10.1080/01621459.1958.10501452",
    ),
    "hallmarks": work(
        "Hallmarks of Cancer: The Next Generation",
        "Hanahan, Douglas; Weinberg, Robert A.",
        2011,
        "Cell",
        "144, 646-674",
        doi="10.1016/j.cell.2011.02.013",
        pmid="21376230",
    ),
    "resnet": work(
        "Deep Residual Learning for Image Recognition",
        "He, Kaiming; Zhang, Xiangyu; Ren, Shaoqing; Sun, Jian",
        2016,
        "2016 IEEE Conference on Computer Vision and Pattern Recognition (CVPR)",
        ", 770-778",
        doi="10.1109/CVPR.2016.90",
        type="paper-conference",
    ),
    "mehra": work(
        "RETRACTED: Hydroxychloroquine or chloroquine with or without a macrolide for treatment of COVID-19: a multinational"
        " registry analysis",
        "Mehra, Mandeep R; Desai, Sapan S; Ruschitzka, Frank; Patel, Amit N",
        2020,
        "The Lancet",
        doi="10.1016/S0140-6736(20)31180-6",
        pmid="32450107",
        is_retracted=True,
    ),
}
_TITLES = {key: plain(one.title) for key, one in WORKS.items()}


def entry(one: Work, **changed: Any) -> Csl:
    """The CSL item that claims a work; None takes a variable out."""
    csl = {**one.csl(), "title": one.title, **changed}
    return {name: value for name, value in csl.items() if value is not None}


def found_for(csl: Csl, among: Iterable[Work] = ()) -> tuple[list[Lookup], Search]:
    """What registries that know WORKS and `among` say of an entry:
    its identifiers' records, the five nearest titles."""
    claim = reference_from_csl(csl)
    extra = list(among)
    dois = {one.doi: one for one in (*WORKS.values(), *extra)}
    pmids = {one.pmid: one for one in (*WORKS.values(), *extra)}
    lookups = []
    if claim.doi:
        lookups.append(Lookup("doi", claim.doi, (dois[claim.doi],) if claim.doi in dois else ()))
    if claim.pmid:
        lookups.append(Lookup("pmid", claim.pmid, (pmids[claim.pmid],) if claim.pmid in pmids else ()))
    titles = {**_TITLES, **{f"+{place}": plain(one.title) for place, one in enumerate(extra)}}
    near = process.extract(plain(claim.title), titles, scorer=Levenshtein.normalized_similarity, limit=5)
    works = [extra[int(key[1:])] if key.startswith("+") else WORKS[key] for _, _, key in near]
    return lookups, Search(tuple(works))


def verdict_on(csl: Csl, among: Iterable[Work] = ()) -> Verdict:
    """The verdict where all registries answer and know WORKS and `among`."""
    return judge(reference_from_csl(csl), *found_for(csl, among))

"""Words that are names of people and ordinary words as well.

Standing alone they count as a name only beside a title or an initial: "Dr Power", not "Power was 80 %".
"""

_WORDS = """
able apple april august autumn baker bank bar baum beach bell bench berg best bill bird black blanc blood bloom blue
bon bond bone book boucher boy branch brand bridge bright broad brook brown brun burn bush camp car carpenter carter
case cash castle chance chapel chase child church close coal cole comfort cook cool cotton court crane cross crown
daily dance day dean dear december delta diamond dove drive duke early east eden edge elder ember emerald english eve
faith fall farmer fast february field finch fine fish fisher fleet flower foot ford forest forester forward foster
found fox free french friday frost game garden gardener german gift glass gold golden good grace grand grant grave
gray green grey gross grove groß guest gut hail hale hall ham hand hardy harmony hart harvest haus haven hay hazel
head heath herb hero herr hidden high hill hof holiday holly home honey hook hope horn house hunt hunter ice iris
ivory ivy jade january jasmine joy judge july june jung just justice kaiser keen key king klein knight koch kurz lake
lamb land lane lang large last law lay leaf lean licht light lily line lion little lock long lord love low luck mai
main major male man many march mark marsh mason mass master max may meadow medal mercy merit mile miles mill miller
mint mode monday moon moor more morning moss mount nail nation neat new news night noble noir north november nurse oak
oaks october olive orange page pain palm parish park past patience peace peak pear pearl penny pepper petit pick
pierce pike pine plant pole pond pool poor pope porter post pot potter power pray price pride priest prince print
prose proud purple queen quick rain ray read reason reed reef reich rice rich richter ridge ring rise river rock roi
rose roth rouge royal ruby rule rush sage sailor salt sand saturday sauer savage save schwarz september shade shadow
sharp sheep shell shepherd ship shore short silver simple singer sky slate small smart snow sommer song south spear
spring squire star stark steel stein stern steward still stock stone storm story street strong style summer sun sunday
swan sweet swift tag temple thursday tide tiger tile till today town trace tree true trust tuesday van violet vogel
wall ward warm water way web weber wednesday weiss weiß well west wheat white wild will willow winter wise wolf wood
word work worth yard young zimmer
"""
_TITLES = "dr prof professor mr mrs ms miss mx sir herr frau mme mlle sig sra doctor"
_PARTICLES = "van von vom de der den di da del della dos du la le el al bin ibn ter ten zu zur y of the and"

ORDINARY = frozenset(_WORDS.split())
TITLES = frozenset(_TITLES.split())
PARTICLES = frozenset(_PARTICLES.split())

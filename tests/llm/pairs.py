"""Questions with short notes that answer them, over many fields; every note is invented, and so is every figure.

`figures` are the words of the notes that bear on the question and must come back as findings; none named means every
number outside headings. `elsewhere` are figures of the same notes that have nothing to do with it and must not.
"""

from typing import NamedTuple


class Pair(NamedTuple):
    name: str
    question: str
    notes: str
    figures: tuple[str, ...] = ()
    elsewhere: tuple[str, ...] = ()


PAIRS = (
    Pair(
        "txa",
        "Does tranexamic acid reduce death from bleeding after childbirth?",
        """# TXA in postpartum haemorrhage

The trial enrolled 20,060 women in 193 hospitals. Death due to bleeding was 1.5% with tranexamic acid and 1.9% with placebo (risk ratio 0.81, 95% CI 0.65 to 1.00).

Given within three hours the figures were 1.2% against 1.7%. Hysterectomy was not reduced (3.6% vs 3.5%).
""",
        ("20,060", "1.5%", "0.81", "1.2% against 1.7%", "3.6% vs 3.5%"),
    ),
    Pair(
        "dexamethasone",
        "What is the effect of dexamethasone on 28-day mortality in ventilated patients with COVID-19?",
        """**What they found.** Overall, 482 of 2104 patients (22.9%) died with dexamethasone and 1110 of 4321 (25.7%) with usual care.

| support at entry | dexamethasone | usual care |
|---|---|---|
| invasive ventilation | 29.3% | 41.4% |
| none | 17.8% | 14.0% |

**Cautions.** Treatment was not blinded. The allocation was 2 to 1.
""",
        ("482 of 2104", "dexamethasone: 29.3%; usual care: 41.4%", "not blinded", "2 to 1"),
    ),
    Pair(
        "septic shock",
        "Does early vasopressin lower 28-day mortality in randomised trials of septic shock patients?",
        """Septic shock and vasopressin, my reading

- VASS-like trial: 778 patients, 35.4% died by day 28 on vasopressin, 39.3% on noradrenaline.
- A later double-blind trial of 409 people saw less renal replacement (25% against 35%).
- Mean arterial pressure target was 65 mmHg.
""",
        ("35.4%", "25% against 35%", "65 mmHg"),
    ),
    Pair(
        "hip fracture",
        "Does early physiotherapy shorten hospital stay after hip fracture?",
        """Ward audit, hip fractures 2021. Patients who saw the physio on the first day went home after 9.1 days, the others after 12.3 days. 214 patients, one hospital. Falls on the ward were the same in both groups (4%).
""",
        ("9.1 days", "214 patients", "4%"),
    ),
    Pair(
        "alder",
        "How do alder trees change soil nitrogen in mixed plantations?",
        """## Alder and nitrogen

Alnus glutinosa fixed 43 kg N per hectare and year in the young stands. Under pure spruce topsoil nitrogen was 0.21%, in the mixture with alder 0.34%.

## Soil acidity

pH under alder fell from 5.1 to 4.6 within 20 years.
""",
        ("43 kg N", "0.34%", "5.1 to 4.6"),
    ),
    Pair(
        "ash dieback",
        "How many ash trees survive ash dieback?",
        """Ash dieback plots in Jutland: after twelve years 1 in 20 ash trees was healthy. Crown damage above 75% was fatal in 64% of cases. Survival was better on dry ground (18% against 7%).
""",
        ("1 in 20", "64%", "18% against 7%"),
    ),
    Pair(
        "guilds",
        "What did guild membership cost apprentices in fifteenth-century Bruges?",
        """Bruges guild accounts, c. 1450-1480

An apprentice of the tailors paid 12 shillings on entry and served four years. The drapers asked 30 shillings. Sons of masters paid half, 6 shillings. Some guilds waived the fee in plague years; how often is not known.
""",
        ("12 shillings", "30 shillings", "6 shillings", "plague years"),
    ),
    Pair(
        "black death",
        "Did the Black Death raise wages in England?",
        """Day wages of reapers on the bishop's manors were 2 pence before the Black Death and 4 pence by 1370. Real wages grew by about 40% over that time. The Ordinance of Labourers of 1349 tried to hold wages at the level of 1346.
""",
        ("4 pence", "40%", "1349"),
    ),
    Pair(
        "bridge",
        "How does chloride exposure affect the fatigue life of steel bridge cables?",
        """Cable tests. Strands kept in 3.5% sodium chloride failed after 310,000 cycles, dry strands after 1.1 million cycles at the same stress range of 200 MPa. Pits were 0.15 mm deep on average. So chloride cut fatigue life to less than a third.
""",
        ("310,000 cycles", "0.15 mm", "less than a third"),
    ),
    Pair(
        "insulation",
        "How much does wall insulation reduce heating demand in terraced houses?",
        """Retrofit of 38 terraced houses. Heating demand fell from 182 to 117 kWh per square metre and year after internal wall insulation. Two houses developed damp. Cost: 9,400 euros a house.
""",
        ("182 to 117", "38 terraced houses", "9,400 euros", "damp"),
    ),
    Pair(
        "bees",
        "Do neonicotinoids harm bumblebee colonies?",
        """Colonies of Bombus terrestris fed field-realistic imidacloprid (a neonicotinoid) gained 8% less weight and produced 85% fewer queens (2 against 14 on average). n = 75 colonies.

A field study in Sweden found no effect on honeybees but bumblebee colony growth was lower near treated rape.
""",
        ("85% fewer", "75 colonies", "no effect on honeybees"),
    ),
    Pair(
        "eelgrass",
        "Does eelgrass restoration increase fish abundance in shallow bays?",
        """Eelgrass was replanted in 2012 in three bays (0.4 ha each). By 2018 juvenile cod were 6 times as many as in unvegetated bays; total fish abundance rose from 14 to 61 per haul. Bay C was lost in a storm.
""",
        ("6 times", "14 to 61", "Bay C"),
    ),
    Pair(
        "minimum wage",
        "Do minimum wage increases reduce employment in restaurants?",
        """Minimum wage, restaurants. In the border-county comparison a 10% rise of the minimum wage went with a change in restaurant employment of -0.2% (s.e. 0.6). An older state panel had -1.6%. Earnings rose 2.1%.
""",
        ("-0.2%", "-1.6%", "2.1%"),
    ),
    Pair(
        "carbon tax",
        "What effect did the carbon tax in British Columbia have on emissions?",
        """The BC carbon tax started at C$10 per tonne in 2008 and reached C$30 in 2012. Emissions per head fell between 5% and 15%, depending on the model. Petrol sales dropped 7%. No effect on total jobs was found.
""",
        ("5% and 15%", "7%", "C$30"),
    ),
    Pair(
        "jury",
        "Does jury size influence conviction rates?",
        """Mock trials: juries of six convicted in 47% of cases and juries of twelve in 36%. Deliberation was shorter with six (28 minutes against 43). Hung juries: 2% and 9%.
""",
        ("47%", "28 minutes", "2% and 9%"),
    ),
    Pair(
        "bail",
        "Does pretrial detention change the likelihood of a guilty plea?",
        """Detained defendants pleaded guilty in 75 of 100 cases, released ones in 58 of 100; with judges' leniency as instrument the effect of pretrial detention on guilty pleas is 14 percentage points (SE 3).
""",
        ("75 of 100", "14 percentage points"),
    ),
    Pair(
        "hernia",
        "Is laparoscopic repair of inguinal hernia followed by less chronic pain than open mesh repair?",
        """Hernia. Chronic groin pain at one year: 6.1% after laparoscopic (TEP), 11.4% after Lichtenstein open mesh. Recurrence 3.8% vs 2.9%. Operation took 61 against 48 minutes. 1,370 men randomised.
""",
        ("6.1%", "3.8% vs 2.9%", "61 against 48", "1,370 men"),
    ),
    Pair(
        "appendix",
        "Can antibiotics replace surgery in uncomplicated appendicitis?",
        """Appendicitis without faecolith: 530 adults. Of 257 on antibiotics, 70 (27.3%) had their appendix out within a year; after 5 years 39.1%. Complications 6.5% vs 24.4% after surgery.
""",
        ("27.3%", "39.1%", "24.4%"),
    ),
    Pair(
        "fluoride",
        "How effective is fluoride varnish against caries in primary teeth?",
        """Caries in milk teeth. Varnish twice a year: prevented fraction 37% (95% CI 24 to 51) over 10 trials. No adverse events in 2 trials that reported them. Control groups had 2.1 new decayed surfaces a year.
""",
        ("37%", "2.1 new"),
    ),
    Pair(
        "implants",
        "Do smokers lose more dental implants than non-smokers?",
        """Implant failures: 11.3% in smokers, 4.8% in non-smokers (odds ratio 2.5, 1.9 to 3.3). Marginal bone loss was 0.6 mm more in smokers.
""",
        ("11.3%", "2.5", "0.6 mm"),
    ),
    Pair(
        "sleep",
        "How does sleep deprivation affect working memory in students?",
        """32 students stayed awake for 24 hours. N-back accuracy (working memory) went down from 91% to 78%; reaction time up by 70 ms. After one recovery night of sleep the scores were back at 90%.
""",
        ("91% to 78%", "70 ms", "90%"),
    ),
    Pair(
        "phones",
        "Does banning mobile phones in schools improve test scores?",
        """Ban on mobile phones, 91 English schools: test scores rose by 6.4% of a standard deviation after the ban, and by 14% among low achievers. A Swedish replication found nothing (0.3%, n.s.).
""",
        ("6.4%", "14%", "0.3%"),
    ),
    Pair(
        "class size",
        "What is known about class size and reading achievement in primary school?",
        """Class size experiment in Tennessee: pupils in classes of 13-17 gained 0.21 SD in reading over those in classes of 22-25. The gain was 0.26 SD for pupils with free lunch. The limits: teachers were not random across schools.
""",
        ("0.21 SD", "0.26 SD", "not random"),
    ),
    Pair(
        "loanwords",
        "How many French loanwords entered Middle English in the fourteenth century?",
        """Of the 10,300 French loans in the sample, 4,100 are first attested between 1301 and 1400. Before 1250 there are some 900. About 75% of the loanwords are still in use.
""",
        ("4,100", "900", "75%"),
    ),
    Pair(
        "amphorae",
        "Where did the olive oil amphorae of Monte Testaccio come from?",
        """Monte Testaccio: about 53 million amphorae, roughly 85% of them Dressel 20 from Baetica, 15% from Tripolitania and Byzacena. Each held about 70 litres of olive oil. Painted labels run from AD 138 to 260.
""",
        ("53 million", "85%", "70 litres", "AD 138 to 260"),
    ),
    Pair(
        "galaxies",
        "How fast do galaxies in the Coma cluster move?",
        """Velocity dispersion of the Coma cluster: 1,008 km/s from 287 galaxies. Zwicky had about 1,019 km/s from eight galaxies. Mass-to-light ratio near 400.
""",
        ("1,008 km/s", "1,019 km/s", "400"),
    ),
    Pair(
        "batteries",
        "What limits the cycle life of silicon anodes in lithium-ion batteries?",
        """Silicon swells by about 300% on lithiation. Cells with 10% silicon in the anode kept 82% of capacity after 500 cycles, with 40% silicon only 51%. Fluoroethylene carbonate in the electrolyte raised this to 68%.
""",
        ("300%", "82%", "51%", "68%"),
    ),
    Pair(
        "no-till",
        "Does no-till farming store more carbon in the soil than ploughing?",
        """No-till plots held 4.9 t/ha more carbon in the top 15 cm, but below 20 cm ploughed plots held 3.3 t/ha more. Over the whole profile the difference was 1.0 t/ha and not significant. Maize yield was 5.1% lower in the first years.
""",
        ("4.9 t/ha", "3.3 t/ha", "1.0 t/ha", "5.1%"),
    ),
    Pair(
        "microcredit",
        "Does microcredit raise household income in rural villages?",
        """Six-country synthesis of microcredit: household income did not change (pooled effect 2 dollars per fortnight, 95% interval -9 to 14). Business revenue rose by 8%. Take-up was 17%-31%.
""",
        ("2 dollars", "8%", "17%-31%"),
    ),
    Pair(
        "mindfulness",
        "Do mindfulness programmes help teachers with burnout?",
        """Teachers and burnout: eight weeks of mindfulness, 113 teachers. Emotional exhaustion d = -0.57 after the course and -0.61 four months later. Waiting list control. Blood pressure was unchanged.
""",
        ("-0.57", "113 teachers", "-0.61"),
    ),
    Pair(
        "mixed file",
        "How does biochar affect the yield of tomatoes?",
        """Biochar at 10 t/ha: tomato yield 74 t/ha against 66 t/ha without. In the dry year the gain was 19%.

Bread oven: preheat to 250 degrees for 45 minutes, rye loaf 1.2 kg, sourdough 300 g.

Meeting with the landlord on 14 March about the 380 euros.
""",
        ("74 t/ha", "19%"),
    ),
    Pair(
        "migration",
        "Why do swifts leave their breeding grounds early?",
        """Eleven common swifts carried loggers. They left the breeding grounds on 24 July on average, 9 days earlier in cold summers. Insect density at 50 m had dropped by 60% in the week before departure.
""",
        ("24 July", "9 days", "60%"),
    ),
    Pair(
        "german",
        "Wie wirkt Düngung mit Kalk auf das Wachstum von Buchen?",
        """Kalkung im Buchenwald: Auf gekalkten Flächen wuchsen die Buchen 0,42 m im Jahr, ohne Kalk 0,35 m. Der pH-Wert stieg von 3,9 auf 4,8.
""",
        ("0,42 m", "3,9 auf 4,8"),
    ),
    Pair(
        "french",
        "Quel est l'effet de la taille sur le rendement de la vigne ?",
        """Taille de la vigne : avec une taille courte le rendement était de 52 hl/ha, avec une taille longue 71 hl/ha. Essai de 2015 à 2019 à Montpellier.
""",
        ("52 hl/ha", "2015"),
    ),
    Pair(
        "one line",
        "How long does concrete need to cure before formwork is removed?",
        "Formwork of concrete slabs can go after 7 days at 20 °C, after 14 at 5 °C.",
        ("7 days at 20",),
    ),
    Pair(
        "table only",
        "How does seeding rate influence barley lodging?",
        """# Barley trial 2019

| seeding rate (per m2) | lodging (%) | yield (t/ha) |
|---|---|---|
| 200 | 4 | 6.8 |
| 300 | 11 | 7.1 |
| 400 | 27 | 6.9 |
""",
        ("lodging (%): 11; yield (t/ha): 7.1", "lodging (%): 27; yield (t/ha): 6.9"),
    ),
    Pair(
        "vitamin d",
        "Does vitamin D prevent asthma exacerbations in adults?",
        """Seven trials, 955 participants, mostly adults. Rate of asthma attacks needing steroids: 0.30 per person and year with vitamin D, 0.43 with placebo. Adjusted rate ratio 0.74 (0.56 to 0.97). In those with 25(OH)D under 25 nmol/L it was 0.33.
""",
        ("955", "0.30", "0.74", "0.33"),
    ),
)

# Questions near one of the notes above, in the same field and with its wide words, which none of them answers.
NEAR_MISSES = (
    "Does azithromycin reduce 28-day mortality in randomised trials of patients with community-acquired pneumonia?",
    "Does vitamin C shorten the common cold in adults?",
    "Do inhaled corticosteroids lower the risk of fracture in children?",
    "Does laparoscopic surgery for colon cancer increase recurrence?",
    "How do wolves change red deer behaviour?",
    "What effect does a sugar tax have on obesity?",
    "Does class attendance predict exam results of university students?",
    "Did the Spanish flu lower wages in Sweden?",
    "How do birch trees respond to ozone?",
    "Do school meals improve attendance in primary schools?",
    "How long do lead-acid batteries last in solar home systems?",
    "What did bakers earn in sixteenth-century Augsburg?",
    "Does music therapy reduce anxiety before dental treatment?",
    "Does hydroxychloroquine prevent death in critically ill patients with COVID-19?",
    "Does yoga lower blood pressure in older adults?",
    "How do beavers affect fish passage in streams?",
    "Does acupuncture relieve chronic low back pain?",
    "What is the effect of remote work on office rents?",
    "Do seat belts reduce deaths in rural road crashes?",
    "How effective is metformin in polycystic ovary syndrome?",
)

"""Synonyms of the offline engine: equivalent words, and narrower words that answer a question about a wider one.

Words are in their usual spelling; `stemming.py` stems them. Nothing here is specific to one thesis.
"""

# Equivalent words. Phrases are allowed; the first of a line represents it.
EQUIVALENT = """
mortality, death, deaths, died, die, dying, fatality, fatal, lethal, letality, sterblichkeit, mortalité
survival, survive, survived, survivor
covid, covid-19, sars-cov-2, coronavirus
child, children, paediatric, childhood
myocardial infarction, heart attack, mi
heart failure, hf
atrial fibrillation, af
tuberculosis, tb
stroke, cerebrovascular accident
hypertension, high blood pressure, raised blood pressure
cancer, carcinoma, malignancy, malignant, tumour, neoplasm, neoplastic
kidney, renal
caesarean, c section
heart, cardiac
liver, hepatic
lung, pulmonary
bone, osseous
haemorrhage, bleeding, bleed, bled, blood loss
hospitalisation, hospital admission
ventilator, ventilation, ventilated
corticosteroid, steroid, glucocorticoid
vaccine, vaccination, vaccinated, immunisation, immunised, jab
physiotherapy, physical therapy
operation, surgery, surgical
adverse, side effect
teenager, adolescent, adolescence, teenage
elderly, older people, older adults, geriatric
obesity, obese
diabetes, diabetic
pregnancy, pregnant, gestation, gestational
newborn, neonate, neonatal
smoking, smoker
depression, depressive, depressed
anxiety, anxious
dentist, dental, tooth, teeth
car, automobile
rain, rainfall, precipitation
wage, salary, pay, earnings
unemployment, unemployed, jobless
fertiliser, fertilizer
temperature, warming, cooling, cooler, warmer, heat
maize, corn
bee, honeybee, bumblebee
carbon dioxide, co2
il-6, interleukin-6
infection, infected
pupil, student, schoolchildren
teacher, teaching
yield, harvest
judge, court, judicial
crime, offence, offending, reoffending, recidivism
concrete, cement
corrosion, corrode
"""

# A question about the word on the left is answered by notes that name one on the right, but not the other way round.
NARROWER = """
corticosteroid: dexamethasone, hydrocortisone, methylprednisolone, prednisolone, prednisone, budesonide
antibiotic: amoxicillin, penicillin, azithromycin, doxycycline, vancomycin, cephalosporin, ceftriaxone, ciprofloxacin
antidepressant: sertraline, fluoxetine, citalopram, escitalopram, ssri, venlafaxine, mirtazapine
statin: atorvastatin, simvastatin, rosuvastatin, pravastatin
anticoagulant: warfarin, heparin, apixaban, rivaroxaban, dabigatran, edoxaban
antihypertensive: amlodipine, ramipril, lisinopril, losartan, thiazide
opioid: morphine, fentanyl, oxycodone, tramadol, codeine
exercise: walking, running, cycling, swimming, yoga, jogging, training
fertiliser: nitrogen, phosphorus, potassium, manure, urea, compost, ammonium, nitrate
tree: oak, beech, pine, spruce, alder, birch, maple, fir, larch, poplar, willow, canopy
forest: woodland, plantation
crop: wheat, maize, rice, barley, soybean, potato, sorghum
cereal: wheat, maize, rice, barley, oats, rye, sorghum
pollinator: bee, hoverfly, butterfly
pesticide: insecticide, herbicide, fungicide, neonicotinoid, glyphosate
metal: steel, iron, copper, aluminium, zinc, titanium
cancer: leukaemia, lymphoma, melanoma, sarcoma
vaccine: bcg, mmr
psychotherapy: cbt, mindfulness, counselling
tax: vat, levy, duty
dementia: alzheimer
fish: salmon, trout, cod, herring, tuna, carp
bird: sparrow, tit, warbler, owl, raptor
acidification: co2
livestock: cattle, sheep, pig, goat, cow
"""
